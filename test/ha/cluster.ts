import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { untilSo } from '../faults/support/replicated.ts'
import { command, withClient } from '../postgres/databases.ts'
import { findExecutable } from '../processes/executable.ts'
import { freePort } from '../processes/free-port.ts'
import type { Env } from '../processes/installation.ts'
import { type Answer, type Asked, ask, type Credentials } from './asking.ts'
import { Machine } from './machine.ts'
import type { Running } from './programs.ts'
import { Site } from './site.ts'

const DEBIANS_PYTHON = '/usr/lib/python3/dist-packages'
const PROGRAMS = ['etcd', 'etcdctl', 'patroni', 'haproxy', 'pgbouncer', 'redis-server', 'openssl'] as const

/** Up to 3.0.2, a primary that was frozen can take the lease from its successor, whose writes are then lost. */
const OLD_PATRONI = /^patroni \(?([12]\.|3\.0\.[0-2]\b)/

/** What this machine lacks: Debian's packages have these programs. */
export const missing: readonly string[] = [
  ...(process.platform === 'linux' ? [] : ['Linux']),
  ...PROGRAMS.filter((name) => findExecutable(name) === undefined),
  ...(isPatroniOld() ? ['Patroni from 3.0.3 on'] : []),
  ...(globSync('/usr/lib/postgresql/*/bin').length > 0 ? [] : ['postgresql']),
  // Debian's Patroni does not depend on it, and cannot encrypt a connection to an address without it.
  ...(existsSync(`${DEBIANS_PYTHON}/patroni`) && !existsSync(`${DEBIANS_PYTHON}/idna`) ? ['python3-idna'] : []),
]

function isPatroniOld(): boolean {
  const patroni = findExecutable('patroni')
  return patroni !== undefined && OLD_PATRONI.test(execFileSync(patroni, ['--version'], { encoding: 'utf8' }))
}

const PASSWORD = 'change-me'
/** Three Patroni processes would do nothing else if they were asked more often. */
const ASK_EVERY_MILLISECONDS = 200
export const SHARDS = ['apac', 'weur', 'oc'] as const
const DATABASES = ['meta', ...SHARDS] as const

export type Database = (typeof DATABASES)[number]

interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
}

/** Patroni with three servers, etcd, HAProxy and PgBouncer, as deploy/ha has them. */
export class Cluster {
  readonly machines: readonly Machine[]
  readonly haproxy: Running
  readonly pgbouncer: Running
  /** The global store by all its servers, one shard through HAProxy, one through PgBouncer, one by all servers. */
  readonly env: Readonly<Record<'DATABASE_URL' | 'DATABASE_REPLICA_URLS' | 'SHARDS', string>>
  /** A certificate of the machines that run Gatehouse. */
  readonly reader: Credentials
  readonly #site: Site

  constructor(
    site: Site,
    machines: readonly Machine[],
    local: { haproxy: Running; pgbouncer: Running; pooler: number },
  ) {
    this.machines = machines
    this.haproxy = local.haproxy
    this.pgbouncer = local.pgbouncer
    this.reader = site.credentials('gatehouse1')
    this.#site = site
    const pooled = `postgres://gatehouse:${PASSWORD}@127.0.0.1:${local.pooler}/weur?pgbouncer=true`
    this.env = {
      DATABASE_URL: this.#byAll('meta'),
      DATABASE_REPLICA_URLS: machines.map(({ host }) => this.#at(host, 'meta')).join(),
      SHARDS: [
        `apac-1:apac=${this.#at(`127.0.0.1:${site.primaryPort}`, 'apac')}`,
        `weur-1:weur=${pooled}`,
        `oc-1:oc=${this.#byAll('oc')}`,
      ].join(),
    }
  }

  #at(host: string, database: string, user = 'gatehouse'): string {
    const tls = `sslmode=verify-full&sslrootcert=${this.#site.certificate('ca.crt')}`
    return `postgres://${user}:${PASSWORD}@${host}/${database}?${tls}`
  }

  #byAll(database: string): string {
    return `${this.#at(this.machines.map(({ host }) => host).join(), database)}&target_session_attrs=read-write`
  }

  /** Makes databases of their own with this ending, behind HAProxy. */
  async newStores(ending: string): Promise<Env> {
    const admin = await this.#admin('postgres')
    const names = DATABASES.map((name) => `${name}_${ending}`)
    for (const name of names) await command(admin, `create database ${name} owner gatehouse`)
    const [meta = '', ...shards] = names.map((name) => this.#at(`127.0.0.1:${this.#site.primaryPort}`, name))
    return {
      DATABASE_URL: meta,
      DATABASE_REPLICA_URLS: '',
      SHARDS: shards.map((url, i) => `${SHARDS[i]}-1:${SHARDS[i]}=${url}`).join(),
    }
  }

  async makeDatabases(): Promise<void> {
    const url = await this.#admin('postgres')
    await command(url, `create role gatehouse login password '${PASSWORD}'`)
    await command(url, 'grant pg_read_all_stats to gatehouse')
    for (const limit of ['statement_timeout', 'lock_timeout'])
      await command(url, `alter role gatehouse set ${limit} = '5s'`)
    for (const database of DATABASES) await command(url, `create database ${database} owner gatehouse`)
  }

  async #admin(database: string): Promise<string> {
    return this.#at((await this.primary()).host, database, 'postgres')
  }

  /** A request to Patroni of a machine, with the certificate of its own. */
  patroni(machine: Machine, path: string, asked: Asked = {}): Promise<Answer> {
    return ask(`https://${machine.host}:8008${path}`, this.#site.credentials(machine.name), asked)
  }

  async members(): Promise<readonly Member[]> {
    await pause(ASK_EVERY_MILLISECONDS)
    for (const machine of this.machines) {
      const answer = await this.patroni(machine, '/cluster').catch(() => undefined)
      if (answer?.status === 200) return JSON.parse(answer.body).members
    }
    return []
  }

  async primary(): Promise<Machine> {
    let found: Machine | undefined
    await untilSo('the cluster has a primary', async () => {
      const leader = (await this.members()).find(({ role }) => role === 'leader')
      found = this.machines.find(({ name }) => name === leader?.name)
      return found !== undefined
    })
    if (found === undefined) throw new Error('there is no primary')
    return found
  }

  /** A standby on which each commit waits, or the other one. */
  async standby(role: 'sync_standby' | 'replica'): Promise<Machine> {
    const member = (await this.members()).find((one) => one.role === role)
    const machine = this.machines.find(({ name }) => name === member?.name)
    if (machine === undefined) throw new Error(`there is no ${role}`)
    return machine
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
    const answer = await this.patroni(from, '/switchover', {
      method: 'POST',
      auth: `patroni:${PASSWORD}`,
      body: { leader: from.name, candidate: to.name },
      // Patroni answers when it is done.
      patienceMilliseconds: 30_000,
    })
    if (answer.status !== 200) throw new Error(`no switchover: ${answer.body}`)
  }

  /** What the superuser gets from the primary with other parameters than the shipped ones. */
  async rowsOf(parameters: string): Promise<readonly unknown[]> {
    const url = `postgres://postgres:${PASSWORD}@${(await this.primary()).host}/postgres?${parameters}`
    return withClient(url, async (client) => (await client.query('select 1')).rows)
  }

  /** Rows of the primary. */
  async rows(database: Database, query: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return withClient(await this.#admin(database), async (client) => (await client.query(query)).rows)
  }
}

export async function startCluster(stack: AsyncDisposableStack): Promise<Cluster> {
  const site = new Site(await freePort())
  stack.defer(() => site.remove())
  const machines = [1, 2, 3].map((number) => new Machine(site, number))
  for (const machine of machines) {
    stack.defer(() => machine.endAtOnce())
    machine.etcd.start()
  }
  await untilSo('etcd has a leader', async () => site.etcdctl('endpoint', 'health').status === 0)
  closeEtcd(site)
  for (const { patroni } of machines) patroni.start()

  const haproxy = site.running('haproxy', ['-db', '-f', site.write('haproxy.cfg', site.haproxy())])
  const pooler = await freePort()
  const pgbouncer = site.running('pgbouncer', [site.write('pgbouncer.ini', site.pgbouncer(pooler))])
  for (const one of [haproxy, pgbouncer]) {
    stack.defer(() => one.end('SIGKILL'))
    one.start()
  }

  const cluster = new Cluster(site, machines, { haproxy, pgbouncer, pooler })
  await cluster.whole()
  await cluster.makeDatabases()
  return cluster
}

/** As docs/high-availability.md has it. */
function closeEtcd(site: Site): void {
  const steps = [
    ['user', 'add', `root:${PASSWORD}`],
    ['user', 'add', `patroni:${PASSWORD}`],
    ['role', 'add', 'patroni'],
    ['role', 'grant-permission', '--prefix', 'patroni', 'readwrite', '/service/gatehouse/'],
    ['user', 'grant-role', 'patroni', 'patroni'],
    ['user', 'grant-role', 'root', 'root'],
    ['auth', 'enable'],
  ]
  for (const step of steps) {
    const { status, stderr } = site.etcdctl(...step)
    if (status !== 0) throw new Error(`etcdctl ${step.join(' ')}: ${stderr}`)
  }
}
