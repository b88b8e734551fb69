import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { runClient } from '../../../client/main.ts'
import type { Io } from '../../../client/terminal/io.ts'
import { SCOPES } from '../../../src/rules/scopes.ts'
import { SettableClock } from '../../service/fakes/settable-clock.ts'

export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

interface Situation {
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string>>
  /** A person at a screen; else a pipe. */
  readonly isTTY?: boolean
  /** Called with all that was said so far, each time something is said. */
  readonly onTalk?: (said: string, interrupt: () => void) => void
}

/**
 * A user's machine: their own folder, a clock that moves when the program sleeps, and what appeared on the
 * screen.
 */
export class Terminal {
  readonly folder: string
  readonly pages: string[] = []
  readonly sleptMilliseconds: number[] = []
  readonly #clock: SettableClock

  constructor(folder: string, clock: SettableClock) {
    this.folder = folder
    this.#clock = clock
  }

  async run(argv: readonly string[], situation: Situation = {}): Promise<Ended> {
    const interruption = new AbortController()
    const screen = { out: '', err: '' }
    const io: Io = {
      stdin: Readable.from([Buffer.from(situation.stdin ?? '')]),
      stdout: collect((text) => {
        screen.out += text
      }),
      stderr: collect((text) => {
        screen.err += text
        situation.onTalk?.(screen.err, () => interruption.abort())
      }),
      env: { GATEHOUSE_CONFIG_DIR: this.folder, ...situation.env },
      isTTY: {
        stdin: situation.isTTY ?? false,
        stdout: situation.isTTY ?? false,
        stderr: situation.isTTY ?? false,
      },
      interrupted: interruption.signal,
      now: this.#clock.now,
      sleep: async (milliseconds) => {
        await nextTurn(undefined, { signal: interruption.signal })
        this.sleptMilliseconds.push(milliseconds)
        this.#clock.advance({ milliseconds })
      },
      openBrowser: (url) => this.pages.push(url),
    }
    const code = await runClient(argv, io, { commands: ['connect', 'request', 'status'], listScopes })
    return { code, ...screen }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }
}

export async function openTerminal(clock = new SettableClock()): Promise<Terminal> {
  return new Terminal(await mkdtemp(join(tmpdir(), 'gatehouse-client-')), clock)
}

function collect(keep: (text: string) => void): PassThrough {
  const stream = new PassThrough()
  stream.on('data', (chunk) => keep(String(chunk)))
  return stream
}

async function listScopes() {
  return Object.entries(SCOPES).map(([scope, description]) => ({ scope, description }))
}
