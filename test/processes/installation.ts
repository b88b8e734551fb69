import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { type Config, readConfig } from '../../src/config/config.ts'
import { closeStores, openStores, type Stores } from '../../src/database/stores.ts'
import { prepareStores } from '../../src/prepare.ts'
import { Person } from '../service/people.ts'
import { freePort } from './free-port.ts'

const programOfThisClone = fileURLToPath(new URL('../../bin/gatehouse', import.meta.url))

export type Env = Readonly<Record<string, string>>

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Credentials {
  readonly email: string
  readonly password: string
}

/** The real program as a process of its own, in a data folder of its own. */
export class Installation {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-data-'))
  readonly #children = new Set<ChildProcess>()
  readonly #program: string
  readonly #user: { readonly uid?: number; readonly gid?: number }

  /** Runs as `uid`, which then owns the data folder; otherwise as the user who runs the tests. */
  constructor(program = programOfThisClone, uid?: number) {
    this.#program = program
    this.#user = uid === undefined ? {} : { uid, gid: uid }
    if (uid !== undefined) chownSync(this.dataDir, uid, uid)
  }

  async run(args: readonly string[], env: Env = {}): Promise<Finished> {
    const child = this.start(args, env)
    const [finished] = await Promise.all([outputOf(child), ended(child, args)])
    return finished
  }

  start(args: readonly string[], env: Env = {}): ChildProcess {
    const child = spawn(this.#program, args, {
      env: { PATH: process.env.PATH, DATA_DIR: this.dataDir, ...env },
      ...this.#user,
    })
    this.#children.add(child)
    child.once('exit', () => this.#children.delete(child))
    return child
  }

  /** Resolves once it responds. */
  async serve(env: Env = {}): Promise<Life> {
    const port = Number(env.PORT ?? (await freePort()))
    const child = this.start(['serve'], { ...env, PORT: String(port) })
    const output = outputOf(child)
    await announced(child, output)
    return new Life(child, port, output)
  }

  /** Makes passwords cheap, creates the administrator, changes parts of the settings, and returns what was printed. */
  async prepare(env: Env = {}, settings: Readonly<Record<string, object>> = {}): Promise<Credentials> {
    const config = this.config(env)
    const stores = await openStores(config)
    await prepareStores(config, stores, Date.now, 1)
    const changed = Object.entries(settings).map(([part, fields]) => [part, JSON.stringify(fields)] as const)
    if (changed.length > 0) await stores.meta.updateTable('settings').set(Object.fromEntries(changed)).execute()
    await closeStores(stores)
    const { stdout, stderr } = await this.run(['prepare'], env)
    const [, email = '', password = ''] = /^Administrator: (.*)\nPassword: (.*)$/m.exec(stdout) ?? []
    if (password === '') throw new Error(`preparation printed no password: ${stderr}`)
    return { email, password }
  }

  config(env: Env = {}): Config {
    return readConfig({ DATA_DIR: this.dataDir, ...env })
  }

  /** Opens its stores beside it. */
  async openStores(env: Env = {}): Promise<Stores & AsyncDisposable> {
    const stores = await openStores(this.config(env))
    return { ...stores, [Symbol.asyncDispose]: () => closeStores(stores) }
  }

  /** Rows of one of its embedded stores. */
  rows(store: string, query: string, { DATA_DIR = this.dataDir }: Env = {}) {
    using database = new DatabaseSync(join(DATA_DIR, `${store}.sqlite`), { readOnly: true })
    return database
      .prepare(query)
      .all()
      .map((row) => ({ ...row }))
  }

  /** Changes one of its embedded stores in a way that no program would. */
  alter(store: string, statements: string): void {
    using database = new DatabaseSync(join(this.dataDir, `${store}.sqlite`))
    database.exec(statements)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#children].map(kill))
    rmSync(this.dataDir, { recursive: true, force: true })
  }
}

/** A process that serves, for people who visit it at its address. */
export class Life {
  readonly child: ChildProcess
  readonly port: number
  readonly url: string
  readonly output: Promise<Finished>

  constructor(child: ChildProcess, port: number, output: Promise<Finished>) {
    this.child = child
    this.port = port
    this.url = `http://localhost:${port}`
    this.output = output
  }

  request(path: string, init?: RequestInit): Promise<Response> {
    return fetch(this.url + path, { redirect: 'manual', ...init })
  }

  /** Resolves with all that it said, once it has ended. */
  end(signal: NodeJS.Signals = 'SIGTERM'): Promise<Finished> {
    this.child.kill(signal)
    return this.output
  }

  async signedUp(name: string): Promise<Person> {
    const person = new Person(this, `${name}@example.com`, PASSWORD)
    const { status, body } = await person.signUp()
    if (status !== 200) throw new Error(`${name} could not sign up: ${JSON.stringify(body)}`)
    return person
  }

  async signedIn({ email, password = PASSWORD }: { email: string; password?: string }): Promise<Person> {
    const person = new Person(this, email, password)
    const { status, body } = await person.signIn()
    if (status !== 200) throw new Error(`${email} could not sign in: ${JSON.stringify(body)}`)
    return person
  }

  /** The same browser, sent to this process by a load balancer. */
  meets(person: Person): Person {
    const same = new Person(this, person.email, person.password)
    for (const [name, value] of person.cookies) same.cookies.set(name, value)
    return same
  }
}

const PASSWORD = 'a long walk in the rain'

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
