import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type Cluster, startCluster } from '../postgres/cluster.ts'
import { command, schemaUrl } from '../postgres/databases.ts'
import { Installation, type Life } from '../processes/installation.ts'
import { environmentOf } from '../processes/new-stores.ts'
import { grantFor } from '../service/grants.ts'
import { Person } from '../service/people.ts'
import { openPage } from '../service/wire/live-page.ts'
import { untilSo } from './support/replicated.ts'

const SHARD = 'apac-1'
const program = new Installation()
let cluster: Cluster

const sql = (text: string) => command(cluster.primary.url(), text)
const bookmarkOf = (person: Person) => ({
  'x-db-meta-bookmark': decodeURIComponent(person.cookies.get('db_meta_bookmark') ?? ''),
})

describe('a process whose replica lags', () => {
  let lagging: Life
  let administrator: Person
  let ann: Person
  let ben: Person
  let cyd: Person
  let grant: Awaited<ReturnType<typeof grantFor>>

  beforeAll(async () => {
    cluster = await startCluster({ replicas: 1 })
    await sql(`create schema "${SHARD}"`)
    const urls = [cluster.primary, ...cluster.replicas].map((server) => server.url())
    const [primary = '', replica = ''] = urls
    const env = environmentOf([SHARD], (id) => schemaUrl(primary, id), primary)
    const places = environmentOf([SHARD], (id) => urls.map((url) => schemaUrl(url, id)).join('|'), primary)
    const credentials = await program.prepare(env)
    const near = await program.serve(env)
    lagging = await program.serve({ ...places, DATABASE_REPLICA_URLS: replica })
    administrator = await near.signedIn(credentials)
    ann = await near.signedUp('ann')
    ben = await near.signedUp('ben')
    cyd = await near.signedUp('cyd')
    grant = await grantFor(ben, 'account:profile:read', 'operations:notifications:read')
    await untilSo('the replica serves', async () => {
      await lagging.meets(ann).post('/api/list_notifications')
      const figures = await (await lagging.request('/metrics')).text()
      return figures.includes(`gatehouse_replica_serving{store="meta",replica="${new URL(replica).host}"} 1`)
    })
    await command(replica, 'select pg_wal_replay_pause()')
  })

  afterAll(async () => {
    await program[Symbol.asyncDispose]()
    await cluster.stop()
  })

  it('shows the past to an old bookmark, so the replica is read', async () => {
    const past = lagging.meets(ann)
    const title = 'The office is closed'
    const created = await administrator.post('/api/admin/create_notification', { title, content: 'Today.' })
    assert.equal(created.status, 200)

    // A replica that a busy machine holds up for a moment is not read again at once.
    await untilSo('the past is shown', async () => {
      const { body } = await lagging.meets(past).post('/api/list_notifications')
      return body.total === 0
    })
  })

  it('tells an open page with an old bookmark what is unread now', async () => {
    const bookmark = bookmarkOf(ann)

    const page = await openPage(lagging, ann, bookmark)
    const { event, data } = await page.next()
    await page.close()

    assert.deepEqual([event, data?.count], ['unread', 1])
    assert.notEqual(page.response.headers.get('x-db-meta-bookmark'), bookmark['x-db-meta-bookmark'])
  })

  it('refuses a stolen session with an old bookmark after it was signed out', async () => {
    const thief = lagging.meets(ann)

    await ann.post('/api/auth/sign-out')

    assert.equal((await thief.post('/api/list_notifications')).status, 401)
    assert.equal((await thief.get('/api/auth/get-session')).body, null)
  })

  it('refuses a revoked grant', async () => {
    const thief = new Person(lagging, ben.email, ben.password)
    const bearer = { authorization: `Bearer ${grant.tokens.access_token}`, ...bookmarkOf(ben) }
    assert.equal((await thief.post('/api/list_notifications', {}, bearer)).status, 200)

    const { body } = await ben.post('/api/list_grants')
    await ben.post('/api/revoke_grant', { id: body.items[0].id })

    assert.equal((await thief.post('/api/list_notifications', {}, bearer)).status, 401)
  })

  it('refuses a user who was deleted', async () => {
    const thief = lagging.meets(cyd)
    assert.equal((await thief.post('/api/list_notifications')).status, 200)

    await sql(`delete from "user" where email = 'cyd@example.com'`)

    assert.equal((await thief.post('/api/list_notifications')).status, 401)
  })

  it('refuses an administrator who was demoted', async () => {
    const former = lagging.meets(administrator)
    assert.equal((await former.post('/api/admin/list_notifications')).status, 200)

    await sql(`update "user" set role = 'user' where role = 'administrator'`)

    assert.equal((await former.post('/api/admin/list_notifications')).status, 403)
  })

  it('shows everything that a new bookmark requires', async () => {
    const { body } = await lagging.meets(ben).post('/api/list_notifications')

    assert.equal(body.total, 1)
  })
})
