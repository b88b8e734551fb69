import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { findExecutable } from '../executable.ts'

/** What a disk is asked to change, as the kernel calls it. */
const CHANGES = ['pwrite64', 'pwritev', 'write', 'ftruncate', 'fallocate', 'fsync', 'fdatasync']

export interface Interference {
  /** The system calls are the kernel's again. */
  end(): Promise<void>
}

/**
 * Stands between a running process and its disk: what it asks of the folder's stores ends as said.
 * Undefined where the machine has no strace, or lets nobody trace.
 */
export async function interfere(
  { pid }: ChildProcess,
  stores: { readonly folder: string; readonly names: readonly string[] },
  outcome: 'error=EROFS' | 'error=EIO:signal=KILL',
): Promise<Interference | undefined> {
  const strace = findExecutable('strace')
  if (!strace || pid === undefined) return undefined
  const child = spawn(strace, [
    ...['-f', '-p', String(pid), '-o', '/dev/null'],
    ...filesOf(stores).flatMap((file) => ['-P', file]),
    ...['-e', `trace=${CHANGES}`, '-e', `inject=${CHANGES}:${outcome}`],
  ])
  const ended = once(child, 'exit')
  if (!(await isAttached(child))) return undefined
  return {
    async end() {
      child.kill('SIGINT')
      await ended
    },
  }
}

function filesOf({ folder, names }: { readonly folder: string; readonly names: readonly string[] }) {
  const files = readdirSync(folder).filter((file) => names.some((name) => file.startsWith(`${name}.sqlite`)))
  return files.map((file) => join(realpathSync(folder), file))
}

async function isAttached(strace: ChildProcess): Promise<boolean> {
  let said = ''
  for await (const chunk of strace.stderr ?? []) {
    said += chunk
    if (/attached/.test(said)) return true
    if (/Operation not permitted/.test(said)) return false
  }
  throw new Error(`strace ended: ${said}`)
}
