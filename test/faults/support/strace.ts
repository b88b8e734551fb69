import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { findExecutable } from '../../processes/executable.ts'

/** The system calls that change a file. */
export const CHANGES = 'pwrite64,pwritev,write,ftruncate,fallocate,fsync,fdatasync'

interface Interference {
  /** The process lives on, its system calls are the kernel's again. */
  detach(): Promise<void>
  /** Of a process that was killed: strace may wait for the last of its threads for ever. */
  drop(): Promise<void>
}

/**
 * Makes a running process's system calls on the folder's stores end as `injection` says, in the words of strace.
 * Undefined if the machine has no strace, or does not allow tracing.
 */
export async function interfere(
  { pid }: ChildProcess,
  stores: { readonly folder: string; readonly names: readonly string[] },
  injection: string,
): Promise<Interference | undefined> {
  const strace = findExecutable('strace')
  if (!strace || pid === undefined) return undefined
  const child = spawn(strace, [
    ...['-f', '-p', String(pid), '-o', '/dev/null'],
    ...filesOf(stores).flatMap((file) => ['-P', file]),
    ...['-e', `trace=${CHANGES}`, '-e', `inject=${injection}`],
  ])
  const ended = once(child, 'exit')
  if (!(await isAttached(child))) return undefined
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  return {
    detach: () => end('SIGINT'),
    drop: () => end('SIGKILL'),
  }
}

function filesOf({ folder, names }: { readonly folder: string; readonly names: readonly string[] }) {
  const files = readdirSync(folder).filter((file) => names.some((name) => file.startsWith(`${name}.sqlite`)))
  return files.map((file) => join(realpathSync(folder), file))
}

/** Its later messages are read too: without a reader, the one about a new thread would end it. */
function isAttached(strace: ChildProcess): Promise<boolean> {
  let said = ''
  return new Promise((resolve, reject) => {
    strace.stderr?.on('data', (chunk) => {
      said += chunk
      if (/attached/.test(said)) resolve(true)
      if (/Operation not permitted/.test(said)) resolve(false)
    })
    strace.once('close', () => reject(new Error(`strace ended: ${said}`)))
  })
}
