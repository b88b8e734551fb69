import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { untilSo } from '../faults/support/replicated.ts'
import { shipped } from '../journeys/proxies/started-proxy.ts'
import { command, withClient } from '../postgres/databases.ts'
import { temporaryFolder } from '../postgres/folder.ts'
import { unprivilegedUser } from '../postgres/user.ts'
import { findExecutable } from '../processes/executable.ts'
import { freePort } from '../processes/free-port.ts'
import type { Env } from '../processes/installation.ts'
import { descendants } from '../processes/process-tree.ts'
import { Running } from './programs.ts'

const DEBIANS_POSTGRES = globSync('/usr/lib/postgresql/*/bin').toSorted().at(-1)
const PROGRAMS = ['etcd', 'patroni', 'haproxy', 'pgbouncer', 'redis-server', 'openssl'] as const

/** What this machine lacks. */
export const missing: readonly string[] = [
  ...PROGRAMS.filter((name) => findExecutable(name) === undefined),
  ...(DEBIANS_POSTGRES === undefined ? ['postgresql'] : []),
]

const PASSWORD = 'change-me'
/** Three Patroni processes would do nothing else if they were asked more often. */
const ASK_EVERY_MILLISECONDS = 200
const DATABASES = ['meta', 'apac'] as const

interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
}

/** One PostgreSQL server, and the Patroni that watches it. */
export class Node {
  readonly name: string
  readonly port: number
  readonly rest: number
  readonly patroni: Running
  readonly #data: string

  constructor(name: string, ports: { readonly port: number; readonly rest: number }, data: string, patroni: Running) {
    this.name = name
    this.port = ports.port
    this.rest = ports.rest
    this.#data = data
    this.patroni = patroni
  }

  /** Makes it look as if the machine had lost its power. */
  async kill(): Promise<void> {
    const server = this.#server()
    await this.patroni.end('SIGKILL')
    if (server !== undefined) process.kill(server, 'SIGKILL')
  }

  /** Signals every process of the machine. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const server = this.#server()
    const all = [...this.patroni.pids(), ...(server === undefined ? [] : [server, ...descendants(server)])]
    for (const pid of new Set(all)) if (existsSync(`/proc/${pid}`)) process.kill(pid, signal)
  }

  async endAtOnce(): Promise<void> {
    this.signal('SIGCONT')
    await this.kill()
  }

  /** Patroni's server does not belong to it, so that it can come back alone. */
  #server(): number | undefined {
    const file = join(this.#data, 'postmaster.pid')
    if (!existsSync(file)) return undefined
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
    return existsSync(`/proc/${pid}`) ? pid : undefined
  }
}

/** Patroni with three servers, etcd, HAProxy and PgBouncer, as deploy/ha has them. */
export class Cluster {
  readonly nodes: readonly Node[]
  readonly etcd: Running
  readonly pgbouncer: Running
  /** Leads through HAProxy, and through PgBouncer and HAProxy. */
  readonly env: Readonly<Record<string, string>>
  readonly #primaryPort: number

  constructor(
    nodes: readonly Node[],
    etcd: Running,
    pgbouncer: Running,
    ports: { readonly primary: number; readonly pooler: number },
  ) {
    this.nodes = nodes
    this.etcd = etcd
    this.pgbouncer = pgbouncer
    this.#primaryPort = ports.primary
    this.env = {
      DATABASE_URL: addressOf(ports.primary, 'meta', 'gatehouse'),
      SHARDS: `apac-1:apac=postgres://gatehouse:${PASSWORD}@127.0.0.1:${ports.pooler}/apac?pgbouncer=true`,
    }
  }

  /** Makes databases of their own with this ending, behind HAProxy. */
  async newStores(ending: string): Promise<Env> {
    const [meta, apac] = DATABASES.map((name) => `${name}_${ending}`)
    const admin = addressOf((await this.primary()).port, 'postgres')
    for (const name of [meta, apac]) await command(admin, `create database ${name} owner gatehouse`)
    const through = (name = '') => addressOf(this.#primaryPort, name, 'gatehouse')
    return { DATABASE_URL: through(meta), SHARDS: `apac-1:apac=${through(apac)}` }
  }

  async members(): Promise<readonly Member[]> {
    await pause(ASK_EVERY_MILLISECONDS)
    for (const { rest } of this.nodes) {
      const response = await fetch(`http://127.0.0.1:${rest}/cluster`, {
        signal: AbortSignal.timeout(1_000),
      }).catch(() => undefined)
      if (response?.ok) {
        const { members } = (await response.json()) as { members: readonly Member[] }
        return members
      }
    }
    return []
  }

  async primary(): Promise<Node> {
    let found: Node | undefined
    await untilSo('the cluster has a primary', async () => {
      const leader = (await this.members()).find(({ role }) => role === 'leader')
      found = this.nodes.find(({ name }) => name === leader?.name)
      return found !== undefined
    })
    if (found === undefined) throw new Error('there is no primary')
    return found
  }

  /** A standby on which each commit waits, or the other one. */
  async standby(role: 'sync_standby' | 'replica'): Promise<Node> {
    const member = (await this.members()).find((one) => one.role === role)
    const node = this.nodes.find(({ name }) => name === member?.name)
    if (node === undefined) throw new Error(`there is no ${role}`)
    return node
  }

  /** Resolves when one primary, one synchronous standby and one more are at work. */
  async whole(): Promise<void> {
    await untilSo('the cluster is whole', async () => {
      const members = await this.members()
      const roles = members.map(({ role }) => role).toSorted()
      const isAtWork = members.every(({ state }) => state === 'running' || state === 'streaming')
      return isAtWork && roles.join() === 'leader,replica,sync_standby'
    })
  }

  async switchOver(): Promise<void> {
    const [from, to] = [await this.primary(), await this.standby('sync_standby')]
    const response = await fetch(`http://127.0.0.1:${from.rest}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: from.name, candidate: to.name }),
    })
    if (!response.ok) throw new Error(`no switchover: ${await response.text()}`)
  }

  /** Rows of the primary. */
  async rows(
    database: (typeof DATABASES)[number],
    query: string,
  ): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { port } = await this.primary()
    return withClient(addressOf(port, database), async (client) => (await client.query(query)).rows)
  }
}

function addressOf(port: number, database: string, user = 'postgres'): string {
  return `postgres://${user}:${PASSWORD}@127.0.0.1:${port}/${database}?sslmode=no-verify`
}

export async function startCluster(stack: AsyncDisposableStack): Promise<Cluster> {
  const folder = mkdtempSync(join(temporaryFolder(), 'gatehouse-ha-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const user = { ...unprivilegedUser(), env: { PATH: process.env.PATH, HOME: folder } }
  own(folder)
  const write = (name: string, text: string) => {
    const file = join(folder, name)
    writeFileSync(file, text, { mode: 0o600 })
    return own(file)
  }
  const running = (name: string, args: readonly string[], as: object = user) => {
    const program = findExecutable(name) ?? name
    return new Running([program, ...args], join(folder, `${name}.log`), as)
  }

  const etcdPort = await freePort()
  const etcd = running('etcd', etcdArguments(join(folder, 'etcd'), etcdPort, await freePort()))
  stack.defer(() => etcd.end('SIGKILL'))
  etcd.start()

  const certificate = certificateIn(folder)
  const nodes: Node[] = []
  for (const name of ['db1', 'db2', 'db3']) {
    const ports = { port: await freePort(), rest: await freePort() }
    const data = join(folder, name)
    const file = write(`${name}.yml`, await patroniFile({ name, data, etcdPort, ...ports, ...certificate }))
    const patroni = new Running([findExecutable('patroni') ?? '', file], join(folder, `${name}.log`), user)
    const node = new Node(name, ports, data, patroni)
    stack.defer(() => node.endAtOnce())
    nodes.push(node)
    patroni.start()
  }

  const primaryPort = await freePort()
  const haproxy = running('haproxy', ['-db', '-f', write('haproxy.cfg', await haproxyFile(primaryPort, nodes))])
  stack.defer(() => haproxy.end('SIGKILL'))
  haproxy.start()

  const poolerPort = await freePort()
  const users = write('userlist.txt', `"gatehouse" "${PASSWORD}"\n`)
  const pgbouncer = running('pgbouncer', [write('pgbouncer.ini', await pgbouncerFile(poolerPort, primaryPort, users))])
  stack.defer(() => pgbouncer.end('SIGKILL'))
  pgbouncer.start()

  const cluster = new Cluster(nodes, etcd, pgbouncer, { primary: primaryPort, pooler: poolerPort })
  await cluster.whole()
  await makeDatabases(addressOf((await cluster.primary()).port, 'postgres'))
  return cluster
}

async function makeDatabases(url: string): Promise<void> {
  await command(url, `create role gatehouse login password '${PASSWORD}'`)
  for (const limit of ['statement_timeout', 'lock_timeout'])
    await command(url, `alter role gatehouse set ${limit} = '5s'`)
  for (const database of DATABASES) await command(url, `create database ${database} owner gatehouse`)
}

/** Belongs to the user that PostgreSQL runs as. */
function own(file: string): string {
  const { uid, gid } = unprivilegedUser()
  if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid)
  return file
}

function certificateIn(folder: string): { readonly key: string; readonly certificate: string } {
  const [key, certificate] = [join(folder, 'server.key'), join(folder, 'server.crt')]
  const flags = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=db -days 1'
  const files = ['-keyout', key, '-out', certificate]
  execFileSync(findExecutable('openssl') ?? '', [...flags.split(' '), ...files], { stdio: 'ignore' })
  const { uid, gid } = unprivilegedUser()
  if (uid !== undefined && gid !== undefined) for (const file of [key, certificate]) chownSync(file, uid, gid)
  return { key, certificate }
}

function etcdArguments(data: string, client: number, peer: number): readonly string[] {
  const at = (port: number) => `http://127.0.0.1:${port}`
  return [
    ...['--name', 'db1', '--data-dir', data, '--initial-cluster', `db1=${at(peer)}`],
    ...['--listen-client-urls', at(client), '--advertise-client-urls', at(client)],
    ...['--listen-peer-urls', at(peer), '--initial-advertise-peer-urls', at(peer)],
  ]
}

interface PatroniPlace {
  readonly name: string
  readonly data: string
  readonly etcdPort: number
  readonly port: number
  readonly rest: number
  readonly key: string
  readonly certificate: string
}

/** This machine has no watchdog, and its servers have no socket in a folder that they share. */
async function patroniFile(place: PatroniPlace): Promise<string> {
  return (await shipped('ha/patroni.yml'))
    .replace('name: db1', `name: ${place.name}`)
    .replace(/hosts: .*/, `hosts: 127.0.0.1:${place.etcdPort}`)
    .replace('0.0.0.0:8008', `127.0.0.1:${place.rest}`)
    .replace('10.0.1.1:8008', `127.0.0.1:${place.rest}`)
    .replace('0.0.0.0:5432', `127.0.0.1:${place.port}`)
    .replace('10.0.1.1:5432', `127.0.0.1:${place.port}`)
    .replace(/data_dir: .*/, `data_dir: ${place.data}`)
    .replace(
      /bin_dir: .*/,
      `bin_dir: ${DEBIANS_POSTGRES}\n  pgpass: ${place.data}.pgpass\n  parameters: { unix_socket_directories: "" }`,
    )
    .replace('/etc/patroni/server.crt', place.certificate)
    .replace('/etc/patroni/server.key', place.key)
    .replaceAll(/10\.0\.[01]\.0\/\d+/g, '127.0.0.1/32')
    .replace('mode: required', 'mode: "off"')
}

async function haproxyFile(port: number, nodes: readonly Node[]): Promise<string> {
  return nodes.reduce(
    (file, node) => file.replace(/10\.0\.1\.\d:5432 check port 8008/, `127.0.0.1:${node.port} check port ${node.rest}`),
    (await shipped('ha/haproxy-postgres.cfg')).replace('127.0.0.1:5000', `127.0.0.1:${port}`),
  )
}

async function pgbouncerFile(port: number, primaryPort: number, users: string): Promise<string> {
  return (await shipped('ha/pgbouncer.ini'))
    .replaceAll('port=5000', `port=${primaryPort}`)
    .replace('listen_port = 6432', `listen_port = ${port}\nunix_socket_dir =`)
    .replace(/auth_file = .*/, `auth_file = ${users}`)
}
