import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

// Servers are often installed in folders that are only on root's PATH.
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin']

/** The first of these programs that this machine has. */
export function findExecutable(...names: readonly string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...SYSTEM_FOLDERS]
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
