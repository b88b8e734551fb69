import { chownSync, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * What root makes in another user's folder goes to that user, as SQLite does with its own files: the service runs as
 * that user and could not open it.
 */
export function giveToOwnerOfFolder(path: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  if (uid === 0) return
  try {
    chownSync(path, uid, gid)
  } catch (error) {
    // In a container root need not have that right; whatever it runs there, it runs as root.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) throw error
  }
}

/** A file that was there keeps its owner. */
export function openedForOwner<T>(path: string, open: () => T): T {
  const isNew = !existsSync(path)
  const opened = open()
  // A store in memory has no file.
  if (isNew && existsSync(path)) giveToOwnerOfFolder(path)
  return opened
}
