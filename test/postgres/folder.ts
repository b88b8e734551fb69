import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { unprivilegedUser } from './user.ts'

/** The temporary folder, or another one if the user that PostgreSQL runs as cannot enter it. */
export function temporaryFolder(candidates: readonly string[] = [tmpdir(), '/tmp', '/var/tmp']): string {
  const found = candidates.find(canEnter)
  if (found !== undefined) return found
  const named = [...new Set(candidates)].join(', ')
  throw new Error(
    `PostgreSQL does not run as root, and its user can enter none of ${named}: set TMPDIR to a folder that everybody can enter`,
  )
}

function canEnter(folder: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { ...unprivilegedUser(), cwd: '/' }).status === 0
}
