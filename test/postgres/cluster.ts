import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../processes/free-port.ts'
import { temporaryFolder } from './folder.ts'
import { postgresPrograms } from './programs.ts'
import { PostgresServer } from './server.ts'
import { unprivilegedUser } from './user.ts'

export interface ClusterOptions {
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

/** A primary and its streaming replicas on this machine; they end with the process that started them. */
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

/** Ends the servers if this process ends before it has stopped them. */
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
  const flags = '-U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync --no-instructions'
  execFileSync(join(postgresPrograms(), 'initdb'), ['-D', data, ...flags.split(' ')], {
    ...user,
    cwd: '/',
    stdio: 'pipe',
  })
}
