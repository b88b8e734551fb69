import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Registered } from '../../service/applications.ts'
import { examples } from './clients.ts'

/** An example with its addresses and credentials replaced, as an operator does it. */
export function configured(file: string, values: { issuer: string; origin: string; application: Registered }): string {
  const { issuer, origin, application } = values
  return readFileSync(join(examples, file), 'utf8')
    .replaceAll('https://id.example.com', issuer)
    .replaceAll('id.example.com', new URL(issuer).host)
    .replaceAll('https://shop.example.com', origin)
    .replaceAll('the-client-id', application.client_id)
    .replaceAll('the-client-secret', application.client_secret ?? '')
}

/** A program in a process group of its own, since several start more processes, once `isReady` says so. */
export async function runningProgram(
  [program = '', ...args]: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
  isReady: () => Promise<boolean>,
): Promise<AsyncDisposable> {
  const { PATH, HOME } = process.env
  const child = spawn(program, args, {
    ...{ cwd, env: { PATH, HOME, ...env }, detached: true },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const closed = once(child, 'close')
  await using starting = new AsyncDisposableStack()
  starting.defer(async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    await closed
  })
  await untilReady(child, isReady)
  return starting.move()
}

async function untilReady(child: ChildProcess, isReady: () => Promise<boolean>): Promise<void> {
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** True if any response comes from the address. */
export async function answers(address: string): Promise<boolean> {
  const answer = await fetch(address, { redirect: 'manual' }).catch(() => undefined)
  await answer?.arrayBuffer()
  return answer !== undefined
}
