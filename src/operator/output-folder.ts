import { systemCodeOf } from '../platform/usable-folder.ts'
import { OperatorError } from '../rules/operator-error.ts'

/** Makes the first thing that a command puts into its output folder. */
export async function firstIn<T>(folder: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make()
  } catch (error) {
    const words = wordsFor(systemCodeOf(error))
    throw words === undefined ? error : new OperatorError(`${folder} ${words}`)
  }
}

function wordsFor(code: unknown): string | undefined {
  switch (code) {
    case 'ENOENT':
      return 'does not exist; make it, or choose another folder'
    case 'ENOTDIR':
      return 'is not a folder; choose one'
    case 'EROFS':
      return 'is on a read-only file system; choose another folder, or mount it for writing'
    case 'EACCES':
    case 'EPERM':
      return 'cannot be written by this user; choose another folder, or change its owner'
    default:
      return undefined
  }
}
