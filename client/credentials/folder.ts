import { closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Failure } from '../terminal/failure.ts'
import type { Io } from '../terminal/io.ts'
import { keepPrivate } from './file.ts'

function configFolder(io: Io): string {
  const { GATEHOUSE_CONFIG_DIR: own, XDG_CONFIG_HOME: xdg, APPDATA: windows, HOME: home = homedir() } = io.env
  if (own) return own
  if (xdg) return join(xdg, 'gatehouse')
  if (process.platform === 'win32') return join(windows ?? home, 'gatehouse')
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support', 'gatehouse')
  return join(home, '.config', 'gatehouse')
}

const INNER = ['connections', 'bookmarks', 'locks'] as const

/** A folder inside the configuration folder that only this user can open. */
export function privateFolder(io: Io, inner: (typeof INNER)[number]): string {
  const outer = configFolder(io)
  if (io.env.GATEHOUSE_CONFIG_DIR) refuseOpenWithOtherFiles(outer)
  makePrivate(io, outer)
  const folder = join(outer, inner)
  makePrivate(io, folder)
  return folder
}

/** Fails, because the folder's permissions are not ours to change. */
function refuseOpenWithOtherFiles(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (process.platform === 'win32' || !found?.isDirectory() || (found.mode & 0o077) === 0) return
  if (readdirSync(folder).every((name) => INNER.some((inner) => inner === name))) return

  throw new Failure(
    'refused',
    `${folder} has other files and is open to other users; set GATEHOUSE_CONFIG_DIR to a folder for this alone`,
  )
}

function makePrivate(io: Io, folder: string): void {
  try {
    makeFolder(folder)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure(
      'refused',
      `connections can't be kept in ${folder} (${reason}); set GATEHOUSE_CONFIG_DIR to a folder of yours`,
    )
  }
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    keepPrivate(io, folder, handle, 0o700)
  } finally {
    closeSync(handle)
  }
}

/** One level at a time: below /proc, Node's recursive option never returns. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    if (!isThere) throw error
    // Either another process has just made it, or something else has the name.
    if (!statSync(folder).isDirectory()) throw new Error('it is not a folder', { cause: error })
  }
}
