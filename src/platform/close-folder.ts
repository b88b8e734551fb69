import type { Stats } from 'node:fs'
import { chmod, lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Group and others. */
const OTHERS = 0o077
/**
 * One of these is in every folder that the service has used; then the modes are ours to change, whatever else is there.
 */
const INSTALLATION = ['secrets.json', 'meta.sqlite', 'prepare.lock', 'serve.lock']
/** Entries that a new folder has from the start: of a disk, a home, a repository, Node in a container. */
const BROUGHT_ALONG = /^(?:lost\+found|\..*)$/
const OURS = /^(?:secrets.*|serve\..*|prepare\..*|.*\.sqlite(?:-wal|-shm|-journal)?)$/

/** True if the folder belongs to something else, so that its permissions are not ours to change. */
export async function isOpenWithOtherFiles(folder: string): Promise<boolean> {
  if (process.platform === 'win32' || !isOpen(await stat(folder))) return false
  const names = await readdir(folder)
  const others = names.filter((name) => !BROUGHT_ALONG.test(name))
  return others.length > 0 && !others.some((name) => INSTALLATION.includes(name))
}

/**
 * Makes the folder, and what the service keeps in it, private to this user, whatever the modes were. Fails if
 * another user owns something that is open to others.
 */
export async function closeFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  await close(folder, 0o700)
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.isFile() && OURS.test(entry.name)) await close(path, 0o600)
    if (entry.isDirectory() && entry.name === 'outbox') await close(path, 0o700)
  }
}

async function close(path: string, mode: number): Promise<void> {
  const found = await lstat(path).catch(ignoreMissing)
  if (found && isOpen(found)) await chmod(path, mode).catch(ignoreMissing)
}

function isOpen({ mode }: Stats): boolean {
  return (mode & OTHERS) !== 0
}

/** The files that the service keeps there. */
export async function filesOfService(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder)
  return names.filter((name) => OURS.test(name)).map((name) => join(folder, name))
}

/** SQLite removes its own files when the last process closes them. */
function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
