import { setTimeout as pause } from 'node:timers/promises'
import { withClient } from '../../test/postgres/databases.ts'
import { atLeast, compare, figureOf, type Measure, perCoreSecond, round } from '../load/measure.ts'
import { type Installation, installationOnPostgres } from '../on-postgres.ts'
import { jsonCall, sessionToken } from '../ours.ts'
import { insertNotifications, insertPeople } from '../rows/postgres-rows.ts'
import type { Server } from '../server.ts'

const PATH = '/api/list_notifications'
const HEADER = 'x-db-meta-bookmark'
const PEOPLE = 1_000

/** What a bookmark costs the server if a replica can serve the read. */
export const measure: Measure = {
  title: `POST ${PATH} on PostgreSQL, a primary and one streaming replica`,
  async run(bench) {
    await using installation = await installationOnPostgres({ replicas: 1 })
    await insertPeople(installation, PEOPLE)
    await insertNotifications(installation, 1_000)
    await using ours = await installation.start('first')
    const { store } = installation
    const early = await bookmarkAfter(ours, {})
    const results = await compare({ ...bench, core: 'shared' }, [
      { name: NONE, server: ours, store, load: () => readsBesideReplica(installation) },
      { name: REACHED, server: ours, store, load: () => readsOnReplica(installation, ours, early) },
      { name: NOT_REACHED, server: ours, store, load: () => readsAheadOfReplica(installation, ours) },
    ])
    const against = (name: string) => round(perCoreSecond(results, name) / perCoreSecond(results, NONE))
    return {
      ratios: [REACHED, NOT_REACHED].map((name) => atLeast(`${name}, against none`, against(name), 0.95)),
      figures: [...results.values()].map(figureOf),
    }
  },
}

const NONE = 'no bookmark'
const REACHED = 'a bookmark that the replica has reached'
const NOT_REACHED = 'a bookmark that it has not'

function reads(headers: Readonly<Record<string, string>>) {
  return {
    connections: 32,
    requests: Array.from({ length: PEOPLE }, (_, i) => jsonCall(PATH, sessionToken(i), {}, headers)),
  }
}

/** With nothing left to replay: what the last case held back would count as the cost of this one. */
async function readsBesideReplica(installation: Installation) {
  await untilCaughtUp(installation)
  return reads({})
}

async function untilCaughtUp(installation: Installation): Promise<void> {
  await onReplica(installation, 'select pg_wal_replay_resume()')
  const [{ lsn }] = await withClient(
    installation.url,
    async (client) => (await client.query('select pg_current_wal_flush_lsn() as lsn')).rows,
  )
  await untilSo(async () => {
    const [row] = await onReplica(installation, `select pg_last_wal_replay_lsn() >= '${lsn}' as is_there`)
    return row.is_there
  })
}

async function readsOnReplica(installation: Installation, server: Server, bookmark: string) {
  await untilCaughtUp(installation)
  const headers = { [HEADER]: bookmark }
  await untilSo(async () => isFromReplica(await bookmarkAfter(server, headers)))
  return reads(headers)
}

/** The replica has stopped replaying, and the primary has moved on. */
async function readsAheadOfReplica(installation: Installation, server: Server) {
  await onReplica(installation, 'select pg_wal_replay_pause()')
  await untilSo(async () => {
    const [row] = await onReplica(installation, 'select pg_get_wal_replay_pause_state() as state')
    return row.state === 'paused'
  })
  await withClient(installation.url, (client) =>
    client.query(`select pg_logical_emit_message(true, 'bench', 'gone on')`),
  )
  const headers = { [HEADER]: await bookmarkAfter(server, {}) }
  if (isFromReplica(await bookmarkAfter(server, headers))) throw new Error('the replica did not stand still')
  return reads(headers)
}

async function bookmarkAfter({ port }: Server, headers: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sessionToken(0)}`, 'content-type': 'application/json', ...headers },
    body: '{}',
  })
  if (!response.ok) throw new Error(await response.text())
  return response.headers.get(HEADER) ?? ''
}

/** A position that was read on a replica ends with a mark. */
function isFromReplica(bookmark: string): boolean {
  return bookmark.split('~').every((position) => position.endsWith('r'))
}

async function onReplica({ cluster: { replicas } }: Installation, statement: string) {
  const [replica] = replicas
  if (!replica) throw new Error('there is no replica')
  return withClient(replica.url(), async (client) => (await client.query(statement)).rows)
}

async function untilSo(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(20_000)
  while (!(await isSo())) {
    if (deadline.aborted) throw new Error('not so in 20 seconds')
    await pause(10)
  }
}
