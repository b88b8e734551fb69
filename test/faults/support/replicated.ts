import assert from 'node:assert/strict'
import { setImmediate as turnOfEvents } from 'node:timers/promises'
import { sql } from 'kysely'
import { test } from 'vitest'
import { inRequest } from '../../../src/database/current-request.ts'
import { PostgresEngine } from '../../../src/database/postgres/engine.ts'
import { ReadPosition } from '../../../src/database/read-position.ts'
import { type ReplicaReport, Store, StoreUnavailable } from '../../../src/database/store.ts'
import { type Cluster, type ClusterOptions, startCluster } from '../../postgres/cluster.ts'
import { command } from '../../postgres/databases.ts'
import type { PostgresServer } from '../../postgres/server.ts'

export interface Tables {
  counter: { id: number; value: number }
}

/** The tests share the servers, and the one table in which members count. */
export function onCluster(options: ClusterOptions) {
  return test.extend<{
    $file: { cluster: Cluster; primary: PostgresServer; first: PostgresServer; second: PostgresServer }
  }>({
    cluster: [
      // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
      async ({}, use) => {
        const cluster = await startCluster(options)
        await command(cluster.primary.url(), COUNTER)
        await use(cluster)
        await cluster.stop()
      },
      { scope: 'file' },
    ],
    primary: [({ cluster }, use) => use(cluster.primary), { scope: 'file' }],
    first: [({ cluster }, use) => use(cluster.replicas[0] ?? assert.fail()), { scope: 'file' }],
    second: [({ cluster }, use) => use(cluster.replicas[1] ?? assert.fail()), { scope: 'file' }],
  })
}

export const COUNTER = 'create table counter (id bigint primary key, value bigint not null)'

/** Asserts that the store is refused for this reason. */
export async function assertRefusedStore(url: string, reason: RegExp): Promise<void> {
  const store = new Store(new PostgresEngine('meta', { url }))
  await assert.rejects(store.ping(), (error) => {
    assert.ok(error instanceof StoreUnavailable && error.cause instanceof Error)
    assert.match(error.cause.message, reason)
    return true
  })
  await store.close()
}

/** One process's view of the cluster, used the way requests use it. */
export interface Member {
  write(bookmark: string, id: number): Promise<Visit<number>>
  read(bookmark: string, id: number): Promise<Visit<number | undefined>>
  replicas(): readonly ReplicaReport[]
  history(): Promise<string>
  /** Reads answered by the server on this port. */
  servedBy(port: number): number
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

interface Visit<T> {
  readonly value: T
  readonly bookmark: string
}

export function join(url: string, replicaUrls: readonly string[], { connections = 4 } = {}): Member {
  const engine = new PostgresEngine('meta', { url, replicaUrls, connections })
  const store = new Store<Tables>(engine)
  const served = new Map<number, number>()
  return {
    write: (bookmark, id) => visit(bookmark, () => increment(store, id)),
    read: (bookmark, id) =>
      visit(bookmark, async () => {
        const row = await find(store, id)
        if (row) served.set(row.port, (served.get(row.port) ?? 0) + 1)
        return row?.value
      }),
    replicas: () => engine.replicas(),
    history: () => engine.history(),
    servedBy: (port) => served.get(port) ?? 0,
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  }
}

async function visit<T>(bookmark: string, work: () => Promise<T>): Promise<Visit<T>> {
  const readPosition = new ReadPosition(bookmark)
  const value = await inRequest({ id: 'test', readPosition }, work)
  return { value, bookmark: await readPosition.next() }
}

async function increment(store: Store<Tables>, id: number): Promise<number> {
  const { value } = await store
    .insertInto('counter')
    .values({ id, value: 1 })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ value: sql`counter.value + 1` }))
    .returning('value')
    .executeTakeFirstOrThrow()
  return value
}

function find(store: Store<Tables>, id: number) {
  return store
    .selectFrom('counter')
    .select(['value', sql<number>`inet_server_port()`.as('port')])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Keeps trying, as users would, until it is true; how long that takes says nothing about the service. */
export async function untilSo(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(180_000)
  while (!(await isSo())) {
    if (deadline.aborted) throw new Error(`not so in three minutes: ${what}`)
    await turnOfEvents()
  }
}
