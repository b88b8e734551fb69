import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { describe } from 'vitest'
import { withClient } from '../../../../test/postgres/databases.ts'
import { submitted } from '../../../../test/service/feedback.ts'
import { it } from '../../../../test/service/it.ts'
import { newcomer, type Person } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { integer } from '../../../database/sql/integer.ts'
import { isShared } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'

/** What lists and overview say. */
async function totals(administrator: Person, actions: readonly string[]) {
  const total = async (route: string, filter: object = {}) =>
    (await administrator.post(`/api/admin/${route}`, { ...filter, page_size: 1 })).body.total as number
  const ofActions: [string, number][] = []
  for (const action of actions) ofActions.push([action, await total('list_audit_entries', { action })])
  const { body: overview } = await administrator.post('/api/admin/get_overview')
  return {
    log: await total('list_audit_entries'),
    ofActions,
    users: [await total('list_users'), await total('list_users', { order: 'email' }), overview.users],
    signUps: overview.sign_ups.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
    newFeedbacks: [await total('list_feedbacks', { status: 'new' }), overview.new_feedbacks],
    doneFeedbacks: await total('list_feedbacks', { status: 'done' }),
  }
}

/** The same, from the rows. */
async function rows({ platform: { meta, shards }, clock }: Service, actions: readonly string[]) {
  const log = await meta.primary.selectFrom('event').select('action').where('action', '<>', '').execute()
  const users = await meta.primary.selectFrom('user').select('created_at').execute()
  const feedbacks: { readonly status: string }[] = []
  for (const shard of shards.values())
    feedbacks.push(...(await shard.primary.selectFrom('feedbacks').select('status').execute()))
  const shownSince = Math.floor(clock.now() / 86_400_000 - 29) * 86_400_000
  const withStatus = (wanted: string) => feedbacks.filter(({ status }) => status === wanted).length
  return {
    log: log.length,
    ofActions: actions.map((wanted) => [wanted, log.filter(({ action }) => action === wanted).length]),
    users: [users.length, users.length, users.length],
    signUps: users.filter(({ created_at: at }) => at >= shownSince).length,
    newFeedbacks: [withStatus('new'), withStatus('new')],
    doneFeedbacks: withStatus('done'),
  }
}

async function actionsOf({ platform: { meta } }: Service): Promise<readonly string[]> {
  const found = await meta.primary.selectFrom('event').select('action').distinct().execute()
  return found.map(({ action }) => action).filter((action) => action !== '')
}

/** Acts of each kind that changes a total, all at once. */
async function liveADay(service: Service, administrator: Person, day: number): Promise<void> {
  const signedUp = await Promise.all(
    Array.from({ length: 6 }, (_, i) => newcomer(service, `day${day}-person${i}@example.com`)),
  )
  const ids = await Promise.all(signedUp.map((person) => submitted(person)))
  const job = (name: string) => service.runJob(name)
  await Promise.all([
    ...signedUp.slice(0, 2).map(({ id }) => administrator.post('/api/admin/delete_user', { id })),
    ...signedUp.slice(2).map((person, i) =>
      administrator.post('/api/admin/update_feedback', {
        id: ids[i + 2],
        user_id: person.id,
        status: 'done',
      }),
    ),
    ...signedUp.slice(2).map((person) => person.signIn()),
    ...['audit-sweep', 'audit-sweep', 'event-sweep', 'events', 'row-counts', 'row-counts', 'row-counts-sweep'].map(job),
    administrator.post('/api/admin/generate_beta_codes', { count: 2 }),
  ])
  await job('erasure')
}

/** Acts while a transaction that adds up the parts is not committed yet. */
function whilePartsAreLocked(url: string, act: () => Promise<void>): Promise<void> {
  return withClient(url, async (holder) => {
    await holder.query('begin')
    await holder.query('select from row_counts where part <> 0 for update')
    await act()
    await holder.query('rollback')
  })
}

async function totalOf(administrator: Person, action: string): Promise<number> {
  return (await administrator.post('/api/admin/list_audit_entries', { action })).body.total
}

async function partsOf(meta: Meta): Promise<number> {
  const parts = await meta.primary.selectFrom('row_counts').select('part').where('part', '<>', 0).execute()
  return parts.length
}

async function countInParts(meta: Meta, count: number): Promise<void> {
  await sql`
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${integer(count)})
    insert into row_counts (kind, value, part, total) select 'audit_entry', 'rain', n, 1 from numbers
  `.execute(meta)
}

describe('totals that are counted when written', () => {
  it.override('options', { env: { AUDIT_RETENTION_DAYS: '30', EVENT_RETENTION_DAYS: '20' } })

  it('agree with the rows after everything at once, for as long as rows come and expire', async ({
    service,
    administrator,
  }) => {
    for (let day = 0; day < 4; day++) {
      await liveADay(service, administrator, day)
      const actions = await actionsOf(service)
      assert.ok(actions.length > 3, String(actions))
      assert.deepEqual(await totals(administrator, actions), await rows(service, actions))
      service.clock.advance({ days: 13 })
      await administrator.signIn()
    }
  })

  it('keep no counter for a value that no row has any more, and count again when it comes back', async ({
    service,
    administrator,
  }) => {
    const { meta } = service.platform
    const publish = () => administrator.post('/api/admin/create_notification', { title: 'A', content: 'B' })
    const { body } = await publish()
    await administrator.post('/api/admin/archive_notification', { id: body.id })
    for (const job of ['row-counts', 'row-counts-sweep']) await service.runJob(job)
    const counters = meta.selectFrom('row_counts').select('total').where('kind', '=', 'notification')

    const none = await counters.execute()
    const total = (await administrator.post('/api/list_notifications')).body.total
    await publish()

    assert.deepEqual([none, total], [[], 0])
    assert.equal((await administrator.post('/api/list_notifications')).body.total, 1)
    const zeros = await meta.selectFrom('row_counts').select('value').where('total', '=', 0).execute()
    assert.deepEqual(zeros, [])
  })

  it('are the same while PostgreSQL adds up what was counted', async ({ service, administrator }) => {
    const generate = () => administrator.post('/api/admin/generate_beta_codes', { count: 1 })
    await Promise.all(Array.from({ length: 20 }, generate))
    const action = 'beta_codes.generate'
    const total = () => totalOf(administrator, action)

    const seen = await Promise.all([
      ...Array.from({ length: 20 }, total),
      ...Array.from({ length: 5 }, () => service.runJob('row-counts').then(total)),
    ])

    assert.deepEqual(new Set(seen), new Set([20]))
    const { meta } = service.platform
    const left = await meta.primary.selectFrom('row_counts').selectAll().where('value', '=', action).execute()
    assert.deepEqual(left, [{ kind: 'audit_entry', value: action, part: 0, total: 20 }])
  })

  it('are added up beside another process that adds up some of them', async ({ service, administrator }) => {
    const { meta } = service.platform
    const { databaseUrl = '' } = service.config
    await service.runJob('row-counts')
    await administrator.post('/api/admin/generate_beta_codes', { count: 1 })

    const run = () => service.runJob('row-counts')
    await (isShared(meta) ? whilePartsAreLocked(databaseUrl, run) : run())
    await administrator.post('/api/admin/generate_beta_codes', { count: 1 })
    await run()

    assert.equal(await totalOf(administrator, 'beta_codes.generate'), 2)
    assert.equal(await partsOf(meta), 0)
  })

  it('are added up, however many transactions have counted meanwhile', async ({ service, administrator }) => {
    const { meta } = service.platform
    const many = 25_000
    await countInParts(meta, many)

    await service.runJob('row-counts')

    assert.equal(await totalOf(administrator, 'rain'), many)
    if (isShared(meta)) assert.equal(await partsOf(meta), 0)
  })
})
