import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Env } from '../../processes/installation.ts'

const script = fileURLToPath(new URL('interrupted-relay.ts', import.meta.url))

/** Kills a process of its own that relays events when it has done this step. */
export async function killAt(step: string, env: Env): Promise<void> {
  const child = spawn(process.execPath, [script, step], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const [said] = await Promise.race([once(child.stdout, 'data'), ended])
  assert.equal(String(said), `${step}\n`)
  child.kill('SIGKILL')
  await ended
}
