import { chownSync, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Files that root creates in another user's folder are given to that user, as SQLite does with its own: the service
 * runs as that user and could not open them otherwise.
 */
export function giveToOwnerOfFolder(path: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  if (uid === 0) return
  try {
    chownSync(path, uid, gid)
  } catch (error) {
    // Root in a container may lack that right; everything there runs as root anyway.
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
