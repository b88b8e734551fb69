import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

const MEMORY = '/dev/shm'
const ROOM_BYTES = 6 * 1024 ** 3

/**
 * The folder in memory that Linux has, if it has room and programs can run from it. A new database is a thousand
 * files, and most acts of a test are flushed: on a slow disk that takes longer than everything else.
 */
export function roomyMemory(): readonly string[] {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    const room = Math.min(bavail * bsize, process.availableMemory())
    return room >= ROOM_BYTES && canRunFrom(MEMORY) ? [MEMORY] : []
  } catch {
    // Missing, or closed to this user.
    return []
  }
}

function canRunFrom(parent: string): boolean {
  const folder = mkdtempSync(join(parent, 'gatehouse-probe-'))
  const script = join(folder, 'script')
  writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 })
  const { status } = spawnSync(script)
  rmSync(folder, { recursive: true })
  return status === 0
}

function canEnter(folder: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { ...unprivilegedUser(), cwd: '/' }).status === 0
}
