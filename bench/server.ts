import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../test/processes/free-port.ts'
import { descendants, statOf } from '../test/processes/process-tree.ts'
import { cores, type Program, pinned } from './load/cores.ts'

export interface Server extends AsyncDisposable {
  readonly port: number
  /** Processor time that it and its children have used so far, which other work on the machine does not change. */
  cpuMilliseconds(): number
  memoryMegabytes(): number
}

export type Environment = Readonly<Record<string, string>>

interface Start {
  readonly program: Program
  readonly env?: Environment
  /** Returns 2xx once the server is ready. */
  readonly readyPath: string
  readonly core?: string
}

/** A server in its own process on its own core. Its port comes from `PORT`. */
export async function startServer({ program, env, readyPath, core = cores.server }: Start): Promise<Server> {
  const port = await freePort()
  const [command, ...args] = pinned(core, program)
  const child = spawn(command, args, {
    // At `info` each refusal is a line, which would fill the terminal; the line is written all the same.
    stdio: ['ignore', 'ignore', env?.LOG_LEVEL === 'info' ? 'ignore' : 'inherit'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port), ...env },
  })
  const { pid = 0 } = child
  await untilReady(child, `http://127.0.0.1:${port}${readyPath}`)
  return {
    port,
    cpuMilliseconds: () => processorTimeOfAll([pid, ...descendants(pid)]),
    memoryMegabytes: () => memoryMegabytes(pid, 'VmRSS'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}`)
    const answer = await fetch(url).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.ok) return
    await wait(5)
  }
}

const TICKS_PER_SECOND = 100

/** What all processes of a server have used, in milliseconds: the running ones, and the ended children of the first. */
export function processorTimeOfAll(pids: readonly number[]): number {
  // User and system time of the process itself, and then of its ended children.
  const ticks = pids.flatMap((pid, i) => statOf(pid)?.fields.slice(11, i === 0 ? 15 : 13) ?? [])
  return (ticks.reduce((sum, each) => sum + Number(each), 0) * 1000) / TICKS_PER_SECOND
}

export function memoryMegabytes(pid: number | 'self', field: 'VmRSS' | 'VmHWM'): number {
  const found = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(found?.[1]) / 1024
}

interface Sent {
  readonly method?: 'GET' | 'POST'
  readonly token?: string
  readonly body?: object
}

/** Calls a server in JSON, and returns its response once it is read. */
export async function call({ port }: Server, path: string, { method = 'POST', token, body }: Sent) {
  const started = performance.now()
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, text, milliseconds: performance.now() - started }
}

/** The same, of which nothing may be refused. */
export async function mustCall(server: Server, path: string, sent: Sent): Promise<void> {
  const { status, text } = await call(server, path, sent)
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
}
