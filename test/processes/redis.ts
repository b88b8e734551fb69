import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findExecutable } from './executable.ts'
import { freePort } from './free-port.ts'

export interface TestRedis {
  readonly url: string
  /** Ends the server as a crash would; `start` brings it back on the same port. */
  kill(): Promise<void>
  start(): Promise<void>
  stop(): Promise<void>
}

/** A Redis or Valkey server of this machine; undefined where there is none. */
export function findRedisServer(): string | undefined {
  return findExecutable('valkey-server', 'redis-server')
}

/** A real server in a folder of its own that keeps nothing. */
export async function startRedis(server: string): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-redis-'))
  const port = await freePort()
  const flags = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
  ]
  let running: ChildProcess | undefined

  async function start() {
    running = spawn(server, flags, { stdio: ['ignore', 'pipe', 'inherit'] })
    await lineWith(running, 'Ready to accept connections')
  }
  async function kill() {
    if (running?.exitCode !== null || running.signalCode !== null) return
    running.kill('SIGKILL')
    await once(running, 'exit')
  }
  async function stop() {
    await kill()
    await rm(folder, { recursive: true, force: true })
  }

  await start()
  return { url: `redis://127.0.0.1:${port}`, kill, start, stop }
}

async function lineWith(child: ChildProcess, words: string): Promise<void> {
  if (!child.stdout) throw new Error('the server has no output to read')
  for await (const line of createInterface({ input: child.stdout })) if (line.includes(words)) break
  child.stdout.resume()
}
