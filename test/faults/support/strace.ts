import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { findExecutable } from '../../processes/executable.ts'

/** The system calls that change a file. */
export const CHANGES = 'pwrite64,pwritev,write,ftruncate,fallocate,fsync,fdatasync'

const strace = findExecutable('strace')

/** This machine has strace, and lets this user trace a process. */
export const canTrace = strace !== undefined && spawnSync(strace, ['-o', '/dev/null', 'true']).status === 0

interface Interference {
  /** The process lives on, its system calls are the kernel's again. */
  detach(): Promise<void>
  /** Needed once the process was killed: strace may wait for the last of its threads for ever. */
  drop(): Promise<void>
}

/** Makes a running process's system calls on these stores end as `injection` says, in the words of strace. */
export async function interfere(
  { pid }: ChildProcess,
  { dataDir }: { readonly dataDir: string },
  stores: readonly string[],
  injection: string,
): Promise<Interference> {
  const files = readdirSync(dataDir).filter((file) => stores.some((name) => file.startsWith(`${name}.sqlite`)))
  const child = spawn(strace ?? '', [
    ...['-f', '-p', String(pid), '-o', '/dev/null'],
    ...files.flatMap((file) => ['-P', join(realpathSync(dataDir), file)]),
    ...['-e', `trace=${CHANGES}`, '-e', `inject=${injection}`],
  ])
  const ended = once(child, 'exit')
  await attached(child)
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  return { detach: () => end('SIGINT'), drop: () => end('SIGKILL') }
}

/** Keeps reading later messages: without a reader, the one about a new thread would end it. */
function attached(child: ChildProcess): Promise<void> {
  let said = ''
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      said += chunk
      if (/attached/.test(said)) resolve()
    })
    child.once('close', () => reject(new Error(`strace ended: ${said}`)))
  })
}
