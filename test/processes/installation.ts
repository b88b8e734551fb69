import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.ts'

const programOfThisClone = fileURLToPath(new URL('../../bin/gatehouse', import.meta.url))

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The real program as a process of its own, in a data folder of its own. */
export class Installation {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-data-'))
  readonly #children = new Set<ChildProcess>()
  readonly #program: string
  readonly #user: { readonly uid?: number; readonly gid?: number }

  /** As `uid`, which then owns the data folder; otherwise as the user who runs the tests. */
  constructor(program = programOfThisClone, uid?: number) {
    this.#program = program
    this.#user = uid === undefined ? {} : { uid, gid: uid }
    if (uid !== undefined) chownSync(this.dataDir, uid, uid)
  }

  async run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> {
    const child = this.start(args, env)
    const [finished] = await Promise.all([outputOf(child), ended(child, args)])
    return finished
  }

  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
    const child = spawn(this.#program, args, {
      env: { PATH: process.env.PATH, DATA_DIR: this.dataDir, ...env },
      ...this.#user,
    })
    this.#children.add(child)
    child.once('exit', () => this.#children.delete(child))
    return child
  }

  /** Resolves with the base URL once it responds. */
  async serve(
    env: Readonly<Record<string, string>> = {},
  ): Promise<{ child: ChildProcess; url: string; output: Promise<Finished> }> {
    const port = String(await freePort())
    const child = this.start(['serve'], { PORT: port, ...env })
    const output = outputOf(child)
    await announced(child, output)
    return { child, url: `http://localhost:${port}`, output }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#children].map(kill))
    rmSync(this.dataDir, { recursive: true, force: true })
  }
}

const ENDS_WITHIN_MILLISECONDS = 180_000

/** Throws if a command that should end in a moment waits for something that never comes. */
export async function ended(child: ChildProcess, args: readonly string[]): Promise<void> {
  try {
    await once(child, 'exit', { signal: AbortSignal.timeout(ENDS_WITHIN_MILLISECONDS) })
  } catch (cause) {
    child.kill('SIGKILL')
    throw new Error(`"${args.join(' ')}" does not end`, { cause })
  }
}

function outputOf(child: ChildProcess): Promise<Finished> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (data) => {
    stdout += data
  })
  child.stderr?.on('data', (data) => {
    stderr += data
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** The welcome on standard error shows that it is ready; if it ends early, the error contains its output. */
function announced(child: ChildProcess, output: Promise<Finished>): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (data) => {
      if (/is ready/.test(String(data))) resolve()
    })
    output.then(({ stderr }) => reject(new Error(`it ended early: ${stderr}`)), reject)
  })
}

function kill(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}
