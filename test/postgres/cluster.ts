import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../processes/free-port.ts'
import { descendants } from '../runner/process-tree.ts'
import { temporaryFolder } from './folder.ts'
import { postgresPrograms } from './programs.ts'
import { unprivilegedUser } from './user.ts'

interface ClusterOptions {
  readonly replicas?: number
  /** Further settings of each replica, by position: `['recovery_min_apply_delay=2s']`. */
  readonly replicaSettings?: readonly (readonly string[])[]
  readonly settings?: readonly string[]
}

export interface Cluster {
  readonly primary: PostgresServer
  readonly replicas: readonly PostgresServer[]
  stop(): Promise<void>
}

/** A primary and its streaming replicas on this machine, gone with the process that started them. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { replicas: count = 2, replicaSettings = [], settings = [] } = options
  await using opening = new AsyncDisposableStack()
  const folder = mkdtempSync(join(temporaryFolder(), 'gatehouse-postgres-'))
  opening.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  chmodSync(folder, 0o755)
  const servers: PostgresServer[] = []
  opening.use(endWithThisProcess(servers, folder))
  opening.defer(async () => {
    await Promise.all(servers.toReversed().map((server) => server.stop()))
  })

  const primaryFolder = join(folder, 'primary')
  initialise(primaryFolder)
  const copies = Array.from({ length: count }, (_, i) => join(folder, `replica-${i + 1}`))
  // A directory fresh from initdb is a base backup already.
  for (const copy of copies) {
    execFileSync('cp', ['-a', primaryFolder, copy])
    writeFileSync(join(copy, 'standby.signal'), '')
  }
  const launch = async (name: string, data: string, further: readonly string[]) => {
    const server = new PostgresServer(name, data, await freePort(), [...COMMON, ...settings, ...further])
    servers.push(server)
    await server.start()
    return server
  }
  const primary = await launch('primary', primaryFolder, [])
  const starting = copies.map((copy, i) => {
    const name = `replica_${i + 1}`
    return launch(name, copy, [streamFrom(primary, name), ...(replicaSettings[i] ?? [])])
  })
  // If one fails, the others are stopped when they have started.
  await Promise.allSettled(starting)
  const replicas = await Promise.all(starting)
  const opened = opening.move()
  return { primary, replicas, stop: () => opened.disposeAsync() }
}

/** If this process ends before it has stopped them. */
function endWithThisProcess(servers: readonly PostgresServer[], folder: string): Disposable {
  const endAtOnce = () => {
    for (const server of servers) server.endAtOnce()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  const endWithSignal = () => process.exit(1)
  process.once('exit', endAtOnce).once('SIGTERM', endWithSignal).once('SIGINT', endWithSignal)
  return {
    [Symbol.dispose]() {
      process.off('exit', endAtOnce).off('SIGTERM', endWithSignal).off('SIGINT', endWithSignal)
    },
  }
}

const COMMON = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=400',
  'shared_buffers=64MB',
  'max_wal_senders=10',
  'wal_receiver_status_interval=1',
  'wal_retrieve_retry_interval=100ms',
  'fsync=off',
]

export function streamFrom(primary: PostgresServer, name: string): string {
  return `primary_conninfo=host=127.0.0.1 port=${primary.port} user=postgres application_name=${name}`
}

function initialise(data: string): void {
  const user = unprivilegedUser()
  mkdirSync(data, { mode: 0o700 })
  if (user.uid !== undefined) execFileSync('chown', [`${user.uid}:${user.gid}`, data])
  const flags = [
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
    '--no-instructions',
  ]
  execFileSync(join(postgresPrograms(), 'initdb'), ['-D', data, ...flags], {
    ...user,
    cwd: '/',
    stdio: 'pipe',
  })
}

/** One server process and its folder. */
export class PostgresServer {
  readonly name: string
  readonly port: number
  readonly #data: string
  readonly #settings: readonly string[]
  #process: ChildProcess | undefined

  constructor(name: string, data: string, port: number, settings: readonly string[]) {
    this.name = name
    this.port = port
    this.#data = data
    this.#settings = settings
  }

  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`
  }

  /** Puts a file beside the server's data that only the server can read, and returns its path. */
  place(name: string, content: string): string {
    const file = join(this.#data, name)
    writeFileSync(file, content, { mode: 0o600 })
    const { uid, gid } = unprivilegedUser()
    if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid)
    return file
  }

  /** With further settings if its role has changed. */
  async start(further: readonly string[] = []): Promise<void> {
    rmSync(join(this.#data, 'postmaster.pid'), { force: true })
    const log = openSync(`${this.#data}.log`, 'w')
    const flags = [
      '-D',
      this.#data,
      '-p',
      String(this.port),
      ...[...this.#settings, ...further].flatMap((setting) => ['-c', setting]),
    ]
    this.#process = spawn(join(postgresPrograms(), 'postgres'), flags, {
      ...unprivilegedUser(),
      cwd: '/',
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    await this.#ready(this.#process)
  }

  /** Replaces its data by a copy of another server's; both must be stopped. */
  copyFrom(other: PostgresServer): void {
    rmSync(this.#data, { recursive: true, force: true })
    execFileSync('cp', ['-a', other.#data, this.#data])
  }

  /** From its next start on it is a replica, or a primary. */
  becomeReplica(isReplica: boolean): void {
    const mark = join(this.#data, 'standby.signal')
    if (isReplica) writeFileSync(mark, '')
    else rmSync(mark, { force: true })
  }

  /** The server and every process that it has; undefined while it does not run. */
  pids(): readonly number[] | undefined {
    const { pid } = this.#process ?? {}
    if (pid === undefined || !this.#running) return undefined
    return [pid, ...descendants(pid).map((child) => child.pid)]
  }

  /** Freezes it, or lets it go on: every process of it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const each of this.pids() ?? []) {
      if (existsSync(`/proc/${each}`)) process.kill(each, signal)
    }
  }

  /** Ends the server as a crash would. */
  async kill(): Promise<void> {
    await this.#end('SIGQUIT')
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT')
  }

  endAtOnce(): void {
    if (this.#running) this.#process?.kill('SIGQUIT')
  }

  get #running(): boolean {
    return this.#process?.exitCode === null && this.#process.signalCode === null
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (!this.#process || !this.#running) return
    this.#process.kill(signal)
    await once(this.#process, 'exit')
  }

  /** The server says in its log when it answers; nothing else of it can be waited for. */
  async #ready(server: ChildProcess): Promise<void> {
    const deadline = AbortSignal.timeout(STARTS_WITHIN_MILLISECONDS)
    while (!this.log().includes('ready to accept')) {
      if (server.exitCode !== null || deadline.aborted)
        throw new Error(`${this.name} did not start: ${this.log().slice(-800)}`)
      await pause(10)
    }
  }

  log(): string {
    return readFileSync(`${this.#data}.log`, 'utf8')
  }
}

const STARTS_WITHIN_MILLISECONDS = 120_000
