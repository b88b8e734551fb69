import { OperatorError } from '../rules/operator-error.ts'

const SQLITE_FULL = 13

/** The system's message about a full disk does not name it. */
export async function needingRoom<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isFullDisk(error) ? new OperatorError(`no space is left in ${place}`, { cause: error }) : error
  }
}

export function isFullDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('errcode' in error && Number(error.errcode) % 256 === SQLITE_FULL) return true
  return 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
