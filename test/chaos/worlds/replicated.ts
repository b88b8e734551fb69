import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { Wire } from '../../faults/support/wire.ts'
import { type Cluster, startCluster, streamFrom } from '../../postgres/cluster.ts'
import { command, withClient } from '../../postgres/databases.ts'
import type { PostgresServer } from '../../postgres/server.ts'
import type { Dice } from '../dice.ts'

const CATCHES_UP_WITHIN_MILLISECONDS = 120_000

/** A primary and a replica that lags, behind wires; either can be promoted, frozen and lost. */
export class ReplicatedServers {
  readonly primaryWire: Wire
  readonly replicaWire: Wire
  /** The wire from the replica to its primary. */
  readonly #stream: Wire
  readonly #cluster: Cluster
  primary: PostgresServer
  replica: PostgresServer

  private constructor(cluster: Cluster, wires: readonly [Wire, Wire, Wire], replica: PostgresServer) {
    this.#cluster = cluster
    ;[this.primaryWire, this.replicaWire, this.#stream] = wires
    this.primary = cluster.primary
    this.replica = replica
  }

  static async start(): Promise<ReplicatedServers> {
    const cluster = await startCluster({ replicas: 1, replicaSettings: [[LAG]] })
    const [replica] = cluster.replicas
    if (!replica) throw new Error('the cluster has no replica')
    const ports = [cluster.primary.port, replica.port, cluster.primary.port]
    const [a, b, c] = await Promise.all(ports.map((port) => Wire.to(port)))
    if (!a || !b || !c) throw new Error('no wire could be laid')
    const servers = new ReplicatedServers(cluster, [a, b, c], replica)
    await servers.#follow()
    return servers
  }

  /** Leads the replica's stream through the wire, and starts the replica again. */
  async #follow(): Promise<void> {
    this.#stream.open(this.primary.port)
    await this.replica.stop()
    this.replica.becomeReplica(true)
    const source = streamFrom(this.primary, 'replica_1').replace(/port=\d+/, `port=${this.#stream.port}`)
    await this.replica.start([source, LAG])
  }

  async crashPrimary(dice: Dice): Promise<void> {
    await this.primary.kill()
    await pause(dice.below(1_500))
    await this.primary.start()
  }

  async crashReplica(dice: Dice): Promise<void> {
    await this.replica.kill()
    await pause(dice.below(1_500))
    await this.#follow()
  }

  async freeze(server: PostgresServer, milliseconds: number): Promise<void> {
    server.signal('SIGSTOP')
    await pause(milliseconds)
    server.signal('SIGCONT')
  }

  async pauseReplay(milliseconds: number): Promise<void> {
    await onReplica(this.replica, 'select pg_wal_replay_pause()')
    await pause(milliseconds)
    await onReplica(this.replica, 'select pg_wal_replay_resume()')
  }

  /** The replica takes over, and has all that was acknowledged. */
  async promote(): Promise<void> {
    this.primaryWire.refuse()
    await this.#caughtUp()
    await this.primary.kill()
    await this.#takeOver()
  }

  /** The stream stops first, so that what is acknowledged during the work is lost with the primary. */
  async promoteWithLoss(work: () => Promise<unknown>): Promise<void> {
    await this.#caughtUp()
    this.#stream.silence()
    await work()
    this.primaryWire.refuse()
    await this.primary.kill()
    await this.#takeOver()
  }

  async #takeOver(): Promise<void> {
    this.replicaWire.refuse()
    await promoted(this.replica)
    ;[this.primary, this.replica] = [this.replica, this.primary]
    this.primaryWire.open(this.primary.port)
    // A moment in which processes meet the new primary without a replica.
    await pause(500)
    await this.#copyReplica()
  }

  /** The former primary begins again as a copy of the new one. */
  async #copyReplica(): Promise<void> {
    this.primaryWire.refuse()
    await this.primary.stop()
    this.replica.copyFrom(this.primary)
    this.primary.becomeReplica(false)
    await this.primary.start()
    this.primaryWire.open()
    await this.#follow()
    this.replicaWire.open(this.replica.port)
  }

  /** Waits until the replica has received everything that the primary has on disk at this moment. */
  async #caughtUp(): Promise<void> {
    const goal = await one(this.primary, 'select pg_current_wal_flush_lsn()::text as found')
    const query = `select (coalesce(greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), '0/0')
      >= '${goal}'::pg_lsn)::text as found`
    const until = performance.now() + CATCHES_UP_WITHIN_MILLISECONDS
    while ((await one(this.replica, query).catch(() => 'not now')) !== 'true') {
      if (performance.now() > until) throw new Error('the replica does not catch up')
      await pause(20)
    }
  }

  async stop(): Promise<void> {
    await this.#cluster.stop()
    for (const wire of [this.primaryWire, this.replicaWire, this.#stream]) await wire[Symbol.asyncDispose]()
  }
}

/** Long enough for requests to meet it, short enough for bookmarks to be served by it. */
const LAG = 'recovery_min_apply_delay=300ms'

const CONFLICT_WITH_RECOVERY = '40001'

/** A replica ends what conflicts with what it replays, which says that it can be asked again. */
async function onReplica(server: PostgresServer, sql: string): Promise<void> {
  for (;;) {
    try {
      return await command(server.url(), sql)
    } catch (error) {
      const isConflict = error instanceof pg.DatabaseError && error.code === CONFLICT_WITH_RECOVERY
      if (!isConflict) throw error
    }
  }
}

/**
 * Promotes the server with as many tries as it takes: a promotion can be under way, or over, when its answer is lost.
 */
async function promoted(server: PostgresServer): Promise<void> {
  const until = performance.now() + PROMOTED_WITHIN_MILLISECONDS
  while ((await one(server, 'select pg_is_in_recovery()::text as found').catch(() => 'not now')) !== 'false') {
    if (performance.now() > until) throw new Error('the replica is not promoted')
    await command(server.url(), PROMOTE).catch(unlessPromoted)
    await pause(20)
  }
}

const PROMOTED_WITHIN_MILLISECONDS = 120_000
const PROMOTE = 'select case when pg_is_in_recovery() then pg_promote(wait_seconds => 10) end'
const NOT_IN_RECOVERY = '55000'

function unlessPromoted(error: unknown): void {
  const codes = [CONFLICT_WITH_RECOVERY, NOT_IN_RECOVERY]
  if (!(error instanceof pg.DatabaseError && codes.includes(error.code ?? ''))) throw error
}

function one(server: PostgresServer, sql: string): Promise<string> {
  return withClient(server.url(), async (client) => (await client.query(sql)).rows[0].found)
}
