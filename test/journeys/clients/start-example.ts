import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { freePort } from '../../processes/free-port.ts'
import { lineWith } from '../../processes/line-with.ts'

export const examples = fileURLToPath(new URL('../../../examples', import.meta.url))

/** Returns its address; ends with the test. */
export async function startExample(
  command: string,
  args: readonly string[],
  own: Readonly<Record<string, string>>,
  ready = 'listening on',
): Promise<string> {
  const port = await freePort()
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), ...own }
  // A group of its own: `go run` starts what it has built as a second process, which would outlive it.
  const child = spawn(command, args, {
    cwd: examples,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  onTestFinished(async () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await once(child, 'close')
  })
  await lineWith(ready, child.stdout)
  return `http://localhost:${env.PORT}`
}
