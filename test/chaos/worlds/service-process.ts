import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../processes/free-port.ts'
import type { Installation } from '../../processes/installation.ts'
import type { Address } from '../actors/browser.ts'

const LIBRARIES = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (machine) => `/usr/lib/${machine}/faketime/libfaketime.so.1`,
)

/** Undefined if Debian's `faketime` is not installed. */
export const faketime = LIBRARIES.find((file) => existsSync(file))

const READY_WITHIN_MILLISECONDS = 180_000
const LOOK_MILLISECONDS = 50

/** One server process, at the same address whenever it is started again. */
export class ServiceProcess implements Address {
  readonly name: string
  readonly url: string
  /** The faults in its log. */
  readonly errors: string[] = []
  readonly #installation: Installation
  readonly #env: Readonly<Record<string, string>>
  #child: ChildProcess | undefined

  private constructor(name: string, installation: Installation, port: number, env: Readonly<Record<string, string>>) {
    this.name = name
    this.url = `http://localhost:${port}`
    this.#installation = installation
    this.#env = { ...env, PORT: String(port) }
  }

  static async started(name: string, installation: Installation, env: Readonly<Record<string, string>>) {
    const made = new ServiceProcess(name, installation, await freePort(), env)
    await made.start()
    return made
  }

  /** Starts with a clock that is off, if possible. */
  async start(offsetSeconds = 0): Promise<void> {
    const env = { ...this.#env, ...offset(offsetSeconds) }
    const child = await this.#served(env, performance.now() + READY_WITHIN_MILLISECONDS)
    this.#child = child
    if (child.stderr) void this.#keepErrors(createInterface({ input: child.stderr }))
  }

  /** Acts like a service manager: a process that ends because its store is slow to answer is started again. */
  async #served(env: Readonly<Record<string, string>>, until: number): Promise<ChildProcess> {
    for (;;) {
      try {
        return (await this.#installation.serve(env)).child
      } catch (error) {
        const isStoreAway = error instanceof Error && /store \S+ is not available/.test(error.message)
        if (!isStoreAway || performance.now() > until) throw error
        await pause(LOOK_MILLISECONDS)
      }
    }
  }

  async #keepErrors(lines: AsyncIterable<string>): Promise<void> {
    for await (const line of lines) if (/"level":(50|60|"error"|"fatal")/.test(line)) this.errors.push(line)
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  async stopFor(milliseconds: number): Promise<void> {
    this.#child?.kill('SIGSTOP')
    await pause(milliseconds)
    this.#child?.kill('SIGCONT')
  }

  /** Starts it if it is gone, and waits until it reports that its stores respond. */
  async heal(): Promise<void> {
    if (!this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null) await this.start()
    const until = performance.now() + READY_WITHIN_MILLISECONDS
    while (!(await this.#isReady())) {
      if (performance.now() > until) throw new Error(`${this.name} is not ready in three minutes`)
      await pause(LOOK_MILLISECONDS)
    }
  }

  async #isReady(): Promise<boolean> {
    const signal = AbortSignal.timeout(5_000)
    return fetch(`${this.url}/readyz?all`, { signal }).then(
      ({ ok }) => ok,
      () => false,
    )
  }
}

export function offset(seconds: number): Readonly<Record<string, string>> {
  if (seconds === 0 || faketime === undefined) return {}
  const sign = seconds > 0 ? '+' : ''
  return { LD_PRELOAD: faketime, FAKETIME: `${sign}${seconds}s`, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
}
