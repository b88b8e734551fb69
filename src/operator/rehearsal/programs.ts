import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { access, open, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { isSea } from 'node:sea'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { environment } from '../../config/config.ts'
import { systemCodeOf } from '../../platform/usable-folder.ts'
import { onOneLine } from '../../rules/one-line.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { version } from '../../rules/version.ts'
import type { Copy } from './copy.ts'

/** How a program is started, and its version. */
export interface Program {
  readonly version: string
  readonly command: string
  readonly args: readonly string[]
}

const START_MILLISECONDS = 120_000
const END_MILLISECONDS = 15_000
const VERSION_MILLISECONDS = 15_000
const LOOK_AGAIN_MILLISECONDS = 50
const LOOK_MILLISECONDS = 5_000
const STILL_MILLISECONDS = 30_000
const QUIET_MILLISECONDS = 1_000
const LAST_WORDS_MILLISECONDS = 1_000
const LONGEST_WORDS = 300
const MOST_KEPT = 16_384

export function thisProgram(): Program {
  const own = isSea() ? [] : process.argv.slice(1, 2)
  return { version, command: process.execPath, args: [...process.execArgv, ...own] }
}

/** Refuses a path that cannot be a program. Whether it is a Gatehouse is found out when it starts. */
export async function programAt(path: string): Promise<Program> {
  const found = await stat(path)
  if (!found.isFile()) throw new OperatorError(`${path} is not a file; OLD is the path of the program`)
  const [command, args] = (await isJavaScript(path)) ? [process.execPath, [path]] : [path, []]
  if (command === path)
    await access(path, constants.X_OK).catch(() => {
      throw new OperatorError(`${path} cannot be executed by this user`)
    })
  return { version: await versionOf(command, args), command, args }
}

async function isJavaScript(path: string): Promise<boolean> {
  if (/\.[cm]?[jt]s$/.test(path)) return true
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(128), 0, 128, 0)
  return /^#!.*\bnode\b/.test(buffer.toString('latin1', 0, bytesRead))
}

async function versionOf(command: string, args: readonly string[]): Promise<string> {
  try {
    const asked = promisify(execFile)(command, [...args, '--version'], {
      ...{ env: systemEnvironment(), timeout: VERSION_MILLISECONDS, killSignal: 'SIGKILL' },
    })
    const [, found] = /^gatehouse (\S+)$/m.exec((await asked).stdout) ?? []
    return found ?? UNKNOWN
  } catch {
    // Its last words are told when it is started.
    return UNKNOWN
  }
}

const UNKNOWN = 'unknown'

/** What any program needs, and nothing that names something of the installation. */
function systemEnvironment(): Record<string, string> {
  const names = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot']
  const env = environment()
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
}

export interface Life extends AsyncDisposable {
  readonly url: string
  /** Stops it between two of its transactions while the work goes on. */
  still<T>(isQuiet: () => Promise<boolean>, work: () => Promise<T>): Promise<T>
  /** Undefined while it serves. */
  lastWords(): Promise<string | undefined>
}

/** Resolves once it is ready, on a port of this machine alone. Fails with the last words of a program that is not. */
export async function serving(program: Program, copy: Pick<Copy, 'environment'>, ended: AbortSignal): Promise<Life> {
  ended.throwIfAborted()
  const port = await freePort()
  const child = spawn(program.command, [...program.args, 'serve'], {
    env: { ...systemEnvironment(), ...copy.environment, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const gone = goneWith(child)
  const end = async () => {
    signalAll(child, 'SIGTERM')
    const late = setTimeout(() => signalAll(child, 'SIGKILL'), END_MILLISECONDS)
    await gone
    clearTimeout(late)
    signalAll(child, 'SIGKILL')
  }
  const url = `http://localhost:${port}`
  try {
    await ready(url, gone, ended)
    return {
      url,
      still: (isQuiet, work) => standingStill(child, isQuiet, work),
      lastWords: async () =>
        (await isReady(url, ended)) ? undefined : Promise.race([gone, wait(LOOK_MILLISECONDS, undefined)]),
      [Symbol.asyncDispose]: end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

async function standingStill<T>(
  child: ChildProcess,
  isQuiet: () => Promise<boolean>,
  work: () => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + STILL_MILLISECONDS
  try {
    signalAll(child, 'SIGSTOP')
    // The server finishes what it was sent by itself, but a transaction ends only if the program goes on.
    while (!(await isQuietSoon(isQuiet))) {
      signalAll(child, 'SIGCONT')
      if (performance.now() > deadline) throw new OperatorError('the old program is in a transaction all the time')
      await wait(LOOK_AGAIN_MILLISECONDS)
      signalAll(child, 'SIGSTOP')
    }
    return await work()
  } finally {
    signalAll(child, 'SIGCONT')
  }
}

async function isQuietSoon(isQuiet: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + QUIET_MILLISECONDS
  while (!(await isQuiet())) {
    if (performance.now() > deadline) return false
    await wait(LOOK_AGAIN_MILLISECONDS)
  }
  return true
}

/** It leads a group of its own: OLD can be a script that starts the program, and both must get the signal. */
function signalAll({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (systemCodeOf(error) !== 'ESRCH') throw error
  }
}

/** Resolves with its last words when it has ended. */
function goneWith(child: ChildProcess): Promise<string> {
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (data) => {
      said[name] = `${said[name]}${data}`.slice(-MOST_KEPT)
    })
  const lastOf = (text: string) => text.trimEnd().split('\n').at(-1) ?? ''
  const words = () => onOneLine(lastOf(said.stderr) || lastOf(said.stdout) || 'nothing').slice(0, LONGEST_WORDS)
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', () => resolve(words()))
    // What it has started itself can keep its output open.
    const stop = () => void [child.stdout, child.stderr].map((output) => output?.destroy())
    child.once('exit', () => setTimeout(stop, LAST_WORDS_MILLISECONDS).unref())
  })
}

async function ready(url: string, gone: Promise<string>, ended: AbortSignal): Promise<void> {
  let words: string | undefined
  const noted = gone.then((last) => {
    words = last
  })
  const deadline = performance.now() + START_MILLISECONDS
  while (!(await isReady(url, ended))) {
    ended.throwIfAborted()
    if (words !== undefined) throw new OperatorError(`does not start; its last words: ${words}`)
    if (performance.now() > deadline) throw new OperatorError('is not ready after two minutes')
    await Promise.race([noted, wait(LOOK_AGAIN_MILLISECONDS)])
  }
}

async function isReady(url: string, ended: AbortSignal): Promise<boolean> {
  const signal = AbortSignal.any([ended, AbortSignal.timeout(LOOK_MILLISECONDS)])
  return fetch(`${url}/readyz`, { signal, redirect: 'manual' }).then(
    ({ ok }) => ok,
    () => false,
  )
}

/**
 * Below those that the kernel gives to connections and to those who ask for any, since the program listens there only
 * when it has opened its stores.
 */
const PORTS = [12_000, 30_000] as const
const MOST_TRIES = 100

async function freePort(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(...PORTS)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
      server.close()
      await once(server, 'close')
      return port
    } catch (error) {
      if (tries === MOST_TRIES) throw error
    }
  }
}
