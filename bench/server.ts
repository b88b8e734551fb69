import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { freePort } from '../test/processes/free-port.ts'
import { descendants } from '../test/processes/process-tree.ts'
import { cores, pinned } from './load/cores.ts'
import { processorTimeOfAll } from './load/processor-time.ts'

export interface Server extends AsyncDisposable {
  readonly port: number
  /** Processor time that it and its children have used so far, which other work on the machine does not change. */
  cpuMilliseconds(): number
  memoryMegabytes(): number
}

interface Start {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Returns 2xx once the server is ready. */
  readonly readyPath: string
  readonly core?: string
}

/** A server in its own process on its own core. Its port comes from `PORT`. */
export async function startServer({ command, args, env, readyPath, core }: Start): Promise<Server> {
  const port = await freePort()
  const [program, all] = pinned(core ?? cores.server, command, args)
  const child = spawn(program, all, {
    // At `info` each refusal is a line, which would fill the terminal; the line is written all the same.
    stdio: ['ignore', 'ignore', env?.LOG_LEVEL === 'info' ? 'ignore' : 'inherit'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port), ...env },
  })
  await untilReady(child, `http://127.0.0.1:${port}${readyPath}`)
  return {
    port,
    cpuMilliseconds: () => processorTimeOfAll([child.pid ?? 0, ...descendants(child.pid ?? 0)]),
    memoryMegabytes: () => memoryMegabytes(child.pid ?? 0),
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
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

function memoryMegabytes(pid: number): number {
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(found?.[1]) / 1024
}
