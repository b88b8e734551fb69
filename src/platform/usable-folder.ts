import { constants } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'

/** Throws what the system says if this user cannot read, write and enter it. */
export async function checkUsable(folder: string): Promise<void> {
  await readdir(folder)
  await access(folder, constants.W_OK | constants.X_OK)
}

/** The reason the data folder cannot be used, and what to do about it. */
export function wordsForUnusable(folder: string, error: unknown): string {
  switch (systemCodeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return `${folder} cannot be read and written by this user; run this as its owner, change its owner, or set DATA_DIR`
    case 'EROFS':
      return `${folder} is on a read-only file system; mount it for writing, or set DATA_DIR`
    case 'ENOTDIR':
      return `${folder} is not a folder; set DATA_DIR to one`
    case 'ENOSPC':
    case 'EDQUOT':
      return `${folder} cannot be made`
    default:
      return `${folder} cannot be used; set DATA_DIR to another folder`
  }
}

/** True only if the system says so: this user may lack permission to see it. */
export async function isMissing(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    (error: unknown) => systemCodeOf(error) === 'ENOENT',
  )
}

export function systemCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
