import { chmod, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Group and others. */
const OTHERS = 0o077
const OURS = /^(?:secrets.*|serve\..*|prepare\..*|.*\.sqlite(?:-wal|-shm|-journal)?)$/

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
  if (found && (found.mode & OTHERS) !== 0) await chmod(path, mode).catch(ignoreMissing)
}

/** SQLite removes its own files when the last process closes them. */
function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
