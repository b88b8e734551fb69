import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHttpServer } from '../http-server.ts'
import { programPath } from '../program.ts'

/** The program that makes a pseudo-terminal; undefined if the machine has none. */
export const hasTerminal = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false

/** A person's shell with a screen: programs run on a pseudo-terminal, and a browser can be opened. */
class RealTerminal {
  /** The address that a program first opened in the person's browser. */
  readonly opened: Promise<string>
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #resources: AsyncDisposableStack

  constructor(env: Readonly<Record<string, string>>, opened: Promise<string>, resources: AsyncDisposableStack) {
    this.#env = { PATH: process.env.PATH, TERM: 'xterm', ...env }
    this.opened = opened
    this.#resources = resources
  }

  start(argv: readonly string[]): Screen {
    const command = [programPath, ...argv].map((word) => `'${word}'`).join(' ')
    return new Screen(spawn('script', ['-qefc', command, '/dev/null'], { env: this.#env }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync()
  }
}

/** One program's run, as it appears. */
export class Screen {
  text = ''
  readonly #child: ChildProcess

  constructor(child: ChildProcess) {
    this.#child = child
    child.stdout?.on('data', (chunk) => {
      this.text += chunk
    })
  }

  async shows(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.text)
      if (found) return found
      if (this.#child.exitCode !== null) throw new Error(`it ended without ${pattern}: ${this.text}`)
      const heard = new AbortController()
      const { signal } = heard
      const more = once(this.#child.stdout ?? this.#child, 'data', { signal })
      await Promise.race([more, once(this.#child, 'close', { signal })]).finally(() => heard.abort())
    }
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys)
  }

  async ended(): Promise<number | null> {
    if (this.#child.exitCode === null) await once(this.#child, 'close')
    return this.#child.exitCode
  }
}

export async function openRealTerminal(): Promise<RealTerminal> {
  await using opening = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-terminal-'))
  opening.defer(() => rm(folder, { recursive: true, force: true }))
  const first = Promise.withResolvers<string>()
  const server = await startHttpServer(({ body }) => {
    first.resolve(body)
    return { body: {} }
  })
  opening.defer(() => server.stop())
  const browser = join(folder, 'browser')
  const tell = `fetch("${server.url}", { method: "POST", body: process.argv[1] })`
  // Runs by a shell, because the path of a `#!` line cannot have spaces.
  await writeFile(browser, `#!/bin/sh\nexec '${process.execPath}' -e '${tell}' -- "$1"\n`)
  await chmod(browser, 0o755)
  const config = join(folder, 'config')
  const env = { HOME: folder, DISPLAY: ':0', BROWSER: browser, GATEHOUSE_CONFIG_DIR: config }
  return new RealTerminal(env, first.promise, opening.move())
}
