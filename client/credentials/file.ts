import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { Failure } from '../terminal/failure.ts'
import { type Io, say } from '../terminal/io.ts'

/**
 * Replaces the file in one step, so that a reader, or a restart after a kill, finds either the old text or
 * the new one.
 */
export function replaceFile(file: string, text: string): void {
  const draft = draftOf(file)
  rmSync(draft, { force: true })
  const handle = openSync(draft, 'wx', 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(draft, file)
}

/** Also removes leftovers of a killed process. */
export function removeFile(file: string): void {
  for (const one of [file, draftOf(file)]) {
    if (lstatSync(one, { throwIfNoEntry: false })?.isDirectory()) throw notAFile(one)
    rmSync(one, { force: true })
  }
}

/** Reads a file that only its owner can read; undefined if it does not exist. */
export function readPrivateFile(io: Io, file: string): string | undefined {
  const handle = openIfThere(file)
  if (handle === undefined) return undefined
  try {
    keepPrivate(io, file, handle, 0o600)
    return readFileSync(handle, 'utf8')
  } finally {
    closeSync(handle)
  }
}

/** Tightens permissions that are too open, with a warning; refuses files of other users. */
export function keepPrivate(io: Io, path: string, handle: number, mode: number): void {
  if (process.platform === 'win32') return
  const found = fstatSync(handle)
  refuseForeign(path, found)
  if ((found.mode & 0o077) === 0) return

  fchmodSync(handle, mode)
  say(
    io,
    `gatehouse: ${path} was open to other users (mode ${modeOf(found)}) and is ${mode.toString(8)} now; ` +
      'if others use this machine, connect again with --force',
  )
}

function refuseForeign(path: string, found: Stats): void {
  const isSticky = (found.mode & 0o1000) !== 0
  if (found.uid === process.getuid?.() && !isSticky) return

  throw new Failure(
    'refused',
    `${path} (mode ${modeOf(found)}) is not yours alone; set GATEHOUSE_CONFIG_DIR to a folder of your own`,
  )
}

/** Reading a pipe would wait, and the permissions of a device are not ours to change. */
export function refuseOtherThanFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found && !found.isFile()) throw notAFile(file)
}

function notAFile(path: string): Failure {
  return new Failure('refused', `${path} is not a file; remove it or give it another name`)
}

function openIfThere(file: string): number | undefined {
  try {
    refuseOtherThanFile(file)
    return openSync(file, 'r')
  } catch (error) {
    if (error instanceof Failure) throw error
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    const reason = error instanceof Error ? error.message : String(error)
    throw new Failure('refused', `${file} can't be read (${reason})`, { cause: error })
  }
}

function draftOf(file: string): string {
  return `${file}.draft`
}

function modeOf(found: Stats): string {
  return (found.mode & 0o7777).toString(8)
}
