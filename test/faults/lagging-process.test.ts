import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type Cluster, startCluster } from '../postgres/cluster.ts'
import { command } from '../postgres/databases.ts'
import type { PostgresServer } from '../postgres/server.ts'
import { grantFor } from '../service/grants.ts'
import { Person } from '../service/people.ts'
import { openPage } from '../service/wire/live-page.ts'
import { elsewhere, type Fleet, prepareFleet, type ServingProcess } from './support/processes.ts'
import { untilSo } from './support/replicated.ts'

let cluster: Cluster
let replica: PostgresServer
let fleet: Fleet
let near: ServingProcess
let lagging: ServingProcess

const sql = (text: string) => command(cluster.primary.url(), text)

async function signedUp(name: string): Promise<Person> {
  const person = new Person(near, `${name}@example.com`, `${name} walks in the rain`)
  assert.equal((await person.signUp()).status, 200)
  return person
}

describe('a process whose replica lags', () => {
  let administrator: Person
  let ann: Person
  let ben: Person
  let cyd: Person
  let grant: Awaited<ReturnType<typeof grantFor>>

  beforeAll(async () => {
    cluster = await startCluster({ replicas: 1 })
    const [only] = cluster.replicas
    assert.ok(only)
    replica = only
    fleet = await prepareFleet(cluster.primary)
    ;[near, lagging] = await Promise.all([fleet.start([]), fleet.start([replica])])
    administrator = new Person(near, fleet.administrator.email, fleet.administrator.password)
    await administrator.signIn()
    ann = await signedUp('ann')
    ben = await signedUp('ben')
    cyd = await signedUp('cyd')
    grant = await grantFor(ben, 'account:profile:read', 'operations:notifications:read')
    await untilSo('the replica serves', async () => {
      await elsewhere(ann, lagging).post('/api/list_notifications')
      const figures = await (await lagging.request('/metrics', { headers: { host: 'localhost' } })).text()
      return figures.includes('gatehouse_replica_serving{store="meta",replica="replica-1"} 1')
    })
    await command(replica.url(), 'select pg_wal_replay_pause()')
  })

  afterAll(async () => {
    await fleet[Symbol.asyncDispose]()
    await cluster.stop()
  })

  it('shows the past to an old bookmark, so the replica is read', async () => {
    const past = elsewhere(ann, lagging)
    const title = 'The office is closed'
    const created = await administrator.post('/api/admin/create_notification', { title, content: 'Today.' })
    assert.equal(created.status, 200)

    // A replica that a busy machine holds up for a moment is not read again at once.
    await untilSo('the past is shown', async () => {
      const { body } = await elsewhere(past, lagging).post('/api/list_notifications')
      return body.total === 0
    })
  })

  it('tells an open page with an old bookmark what is unread now', async () => {
    const bookmark = decodeURIComponent(ann.cookies.get('db_meta_bookmark') ?? '')

    const page = await openPage(lagging, ann, { 'x-db-meta-bookmark': bookmark })
    const { event, data } = await page.next()
    await page.close()

    assert.deepEqual([event, data?.count], ['unread', 1])
    assert.notEqual(page.response.headers.get('x-db-meta-bookmark'), bookmark)
  })

  it('refuses a stolen session with an old bookmark after it was signed out', async () => {
    const thief = elsewhere(ann, lagging)

    await ann.post('/api/auth/sign-out')

    assert.equal((await thief.post('/api/list_notifications')).status, 401)
    assert.equal((await thief.get('/api/auth/get-session')).body, null)
  })

  it('refuses a revoked grant', async () => {
    const bookmark = { 'x-db-meta-bookmark': decodeURIComponent(ben.cookies.get('db_meta_bookmark') ?? '') }
    const thief = new Person(lagging, ben.email, ben.password)
    const bearer = { authorization: `Bearer ${grant.tokens.access_token}`, ...bookmark }
    assert.equal((await thief.post('/api/list_notifications', {}, bearer)).status, 200)

    const { body } = await ben.post('/api/list_grants')
    await ben.post('/api/revoke_grant', { id: body.items[0].id })

    assert.equal((await thief.post('/api/list_notifications', {}, bearer)).status, 401)
  })

  it('refuses a user who was deleted', async () => {
    const thief = elsewhere(cyd, lagging)
    assert.equal((await thief.post('/api/list_notifications')).status, 200)

    await sql(`delete from "user" where email = 'cyd@example.com'`)

    assert.equal((await thief.post('/api/list_notifications')).status, 401)
  })

  it('refuses an administrator who was demoted', async () => {
    const former = elsewhere(administrator, lagging)
    assert.equal((await former.post('/api/admin/list_notifications')).status, 200)

    await sql(`update "user" set role = 'user' where role = 'administrator'`)

    assert.equal((await former.post('/api/admin/list_notifications')).status, 403)
  })

  it('shows everything that a new bookmark requires', async () => {
    const { body } = await elsewhere(ben, lagging).post('/api/list_notifications')

    assert.equal(body.total, 1)
  })
})
