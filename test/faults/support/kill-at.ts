import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Env } from '../../processes/installation.ts'

const script = fileURLToPath(new URL('interrupted-act.ts', import.meta.url))

/** Kills a process of its own that moves a user, or relays events, when it has done this step. */
export async function killAt(
  step: string,
  env: Env,
  act: 'move' | 'relay',
  ...what: string[]
): Promise<void> {
  const child = spawn(process.execPath, [script, act, step, ...what], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [said] = await Promise.race([once(child.stdout, 'data'), ended])
  assert.equal(String(said), `${step}\n`)
  child.kill('SIGKILL')
  await ended
}
