import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Redis } from 'iovalkey'
import { findExecutable } from './executable.ts'
import { freePort } from './free-port.ts'
import { lineWith } from './line-with.ts'

export interface TestRedis {
  readonly url: string
  /** Ends the server as a crash would; `start` brings it back on the same port. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Starts again as a server that loads its data for this long: it accepts connections and serves none of them. */
  startLoading(seconds: number): Promise<void>
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  stop(): Promise<void>
}

/** A Redis or Valkey server on this machine; undefined if there is none. */
export function findRedisServer(): string | undefined {
  return findExecutable('valkey-server', 'redis-server')
}

const KEYS = 1_000

/** A real server in a folder of its own that keeps nothing. */
export async function startRedis(server: string): Promise<TestRedis> {
  await using opening = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-redis-'))
  opening.defer(() => rm(folder, { recursive: true, force: true }))
  const port = await freePort()
  const storage = ['--save', '', '--appendonly', 'no', '--dir', folder]
  const flags = ['--port', String(port), '--bind', '127.0.0.1', ...storage]
  let running: ChildProcessByStdio<null, Readable, null> | undefined

  async function start(further: readonly string[] = [], words = 'Ready to accept connections') {
    running = spawn(server, [...flags, ...further], { stdio: ['ignore', 'pipe', 'inherit'] })
    await lineWith(words, running.stdout)
  }
  async function startLoading(seconds: number) {
    await start(['--enable-debug-command', 'yes'])
    const filled = new Redis(port)
    await filled.call('debug', 'populate', KEYS)
    await filled.save()
    filled.disconnect()
    await kill()
    await start(['--key-load-delay', String((seconds * 1_000_000) / KEYS)], 'Server initialized')
  }
  async function kill() {
    if (running?.exitCode !== null || running.signalCode !== null) return
    running.kill('SIGKILL')
    await once(running, 'exit')
  }

  opening.defer(kill)
  await start()
  const opened = opening.move()
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    start: () => start(),
    startLoading,
    signal: (signal) => void running?.kill(signal),
    stop: () => opened.disposeAsync(),
  }
}
