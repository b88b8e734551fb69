import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { testServer } from '../postgres/databases.ts'
import { type Balancer, startBalancer } from '../processes/balancer.ts'
import { type Env, Installation, type Life } from '../processes/installation.ts'
import { storesIn } from '../processes/new-stores.ts'
import { findRedisServer, startRedis } from '../processes/redis.ts'
import { startSmtpServer, type TestSmtpServer } from '../processes/smtp-server.ts'
import { grantFor, refreshWith } from '../service/grants.ts'
import { Person } from '../service/people.ts'
import { type Busy, keepBusy } from './support/busy.ts'
import { untilSo } from './support/replicated.ts'

const resources = new AsyncDisposableStack()
let server: string
let installation: Installation
let env: Env
let smtp: TestSmtpServer
let members: Life[]
let balancer: Balancer
let administrator: Person

beforeAll(async () => {
  const shared = resources.adopt(await testServer(), (one) => one.stop())
  server = shared.url
  env = await storesIn(resources, server, ['apac-1'])
  smtp = resources.use(await startSmtpServer())
  const redis = findRedisServer()
  const keyValue = redis && resources.adopt(await startRedis(redis), (one) => one.stop())
  // The balancer is in this process: a process drains for longer than this one may stand still on a busy machine.
  env = { ...env, SMTP_URL: smtp.url, DRAIN_SECONDS: '5', ...(keyValue && { KV_URL: keyValue.url }) }
  // On a fast machine the busy people would come to the limits of one person.
  env = { ...env, USER_LIMIT_FACTOR: '1000' }
  installation = resources.use(new Installation())
  const credentials = await installation.prepare(env)
  members = await Promise.all([1, 2, 3].map(() => installation.serve(env)))
  balancer = resources.adopt(await startBalancer(members.map(({ port }) => port)), (one) => one.stop())
  administrator = new Person(balancer, credentials.email, credentials.password)
  await administrator.signIn()
  await administrator.saveSettings('email', { provider: 'smtp' })
})

afterAll(() => resources.disposeAsync())

/** The same person, met by each process for itself. */
const everywhere = (person: Person): readonly Person[] => members.map((member) => member.meets(person))

/** What each of twelve requests at once gets. */
const twelveTimes = <T>(request: () => Promise<T>) => Promise.all(Array.from({ length: 12 }, request))

async function signedUp(name: string): Promise<Person> {
  const person = new Person(balancer, `${name}@example.com`, 'a raft of seven logs')
  const { status, body } = await person.signUp()
  assert.equal(status, 200, JSON.stringify(body))
  return person
}

describe('three processes behind one address, at work', () => {
  let busy: Busy
  beforeAll(async () => {
    busy = await keepBusy(balancer, ['leo', 'mia'])
    await busy.roundsOfAll(1)
  })
  afterAll(async () => {
    const { answers, lost } = await busy.stop()
    assert.deepEqual([Object.keys(answers), lost], [['200'], []], JSON.stringify(answers))
  })

  it('a saved setting counts for the next request, in each of them', async () => {
    const visitors = members.map(
      (member, i) => new Person(member, `new-${i}@example.com`, 'a raft of seven logs'),
    )
    const signUps = async () =>
      (await Promise.all(visitors.map((one) => one.signUp()))).map(({ body }) => body.code)
    await administrator.saveSettings('authentication', { registration_enabled: false })
    const refused = await signUps()
    await administrator.saveSettings('authentication', { registration_enabled: true })

    assert.deepEqual(refused, Array(3).fill('REGISTRATION_DISABLED'))
    assert.deepEqual(await signUps(), Array(3).fill(undefined))
  })

  it('who signs out at one is signed out at each', async () => {
    const ann = await signedUp('ann')
    const thieves = everywhere(ann)

    await ann.post('/api/auth/sign-out')

    const answers = await Promise.all(thieves.map((thief) => thief.post('/api/list_notifications')))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 401, 401],
    )
  })

  it('a revoked grant is refused by each', async () => {
    const ben = await signedUp('ben')
    const { tokens } = await grantFor(ben, 'operations:notifications:read')
    const asked = () => Promise.all(everywhere(ben).map((person) => listWith(person, tokens.access_token)))
    assert.deepEqual(await asked(), [200, 200, 200])

    const { body } = await ben.post('/api/list_grants')
    await ben.post('/api/revoke_grant', { id: body.items[0].id })

    assert.deepEqual(await asked(), [401, 401, 401])
  })

  it('of twelve requests at once for one address and scene one passes the cooldown', async () => {
    await signedUp('cara')

    const answers = await twelveTimes(() => askForCode('cara@example.com'))

    assert.deepEqual(tally(answers), { 200: 1, 429: 11 })
  })

  it('of twelve guesses at once three are compared', async () => {
    await signedUp('dora')
    await askForCode('dora@example.com')

    const guess = { email: 'dora@example.com', otp: '000000' }
    const answers = await twelveTimes(() => administrator.post('/api/auth/email-otp/verify-email', guess))

    assert.deepEqual(tally(answers.map(({ body }) => body.code)), { INVALID_OTP: 3, TOO_MANY_ATTEMPTS: 9 })
  })

  it('twelve refreshes at once of one token leave one working successor', async () => {
    const eve = await signedUp('eve')
    const { tokens } = await grantFor(eve, 'operations:notifications:read')

    const answers = await twelveTimes(() => refreshWith(eve, tokens.refresh_token))

    assert.deepEqual(tally(answers.map(({ status }) => status)), { 200: 12 })
    assert.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, 1)
    const [successor] = answers
    assert.ok(successor)
    assert.equal(await listWith(eve, successor.body.access_token), 200)
    assert.equal((await refreshWith(eve, successor.body.refresh_token)).status, 200)
  })

  it('each mail of the queue is sent once', async () => {
    const names = Array.from({ length: 15 }, (_, i) => `reader-${i}`)
    await Promise.all(names.map(signedUp))

    await Promise.all(names.map((name) => askForCode(`${name}@example.com`)))
    await untilSo('all mail has come', async () => letters('reader-').length >= names.length)
    await queueIsEmpty()

    assert.deepEqual(letters('reader-').toSorted(), names.map((name) => `${name}@example.com`).toSorted())
  })
})

describe('processes that come and go under load', () => {
  it('replacing each of them costs no request', async () => {
    const busy = await keepBusy(balancer, ['fay', 'gil', 'hal'])

    for (const [i, old] of members.entries()) {
      old.child.kill('SIGTERM')
      await balancer.leftAlone(old.port)
      assert.equal((await old.output).code, 0)
      members[i] = await installation.serve({ ...env, PORT: String(old.port) })
      await busy.roundsOfAll(2)
    }
    const { answers, lost } = await busy.stop()

    assert.deepEqual(Object.keys(answers), ['200'], JSON.stringify(answers))
    assert.deepEqual(lost, [])
  })

  it('one that is killed loses no acknowledged write', async () => {
    const busy = await keepBusy(balancer, ['ida', 'jon', 'kai'])
    await busy.roundsOfAll(2)

    await members[0]?.end('SIGKILL')
    await busy.roundsOfAll(5)
    const { lost } = await busy.stop()

    assert.deepEqual(lost, [])
  })
})

describe('processes that start at once on an empty database', () => {
  it('one of them migrates, one makes the administrator, all of them serve', async () => {
    await using databases = new AsyncDisposableStack()
    await using fresh = new Installation()
    const empty = await storesIn(databases, server, ['apac-1'])

    const started = await Promise.all([1, 2, 3].map(() => fresh.serve(empty)))

    const states = await Promise.all(started.map(async (life) => (await life.request('/readyz')).status))
    const outputs = await Promise.all(started.map((life) => life.end()))
    assert.deepEqual(states, [200, 200, 200])
    assert.equal(outputs.filter(({ stdout }) => stdout.includes('Password: ')).length, 1)
  })
})

async function listWith(person: Person, accessToken: string): Promise<number> {
  const bearer = { authorization: `Bearer ${accessToken}` }
  return (await person.post('/api/list_notifications', {}, bearer)).status
}

async function askForCode(email: string): Promise<number> {
  const body = { email, type: 'email-verification' }
  return (await new Person(balancer, email, '').post('/api/auth/email-otp/send-verification-otp', body))
    .status
}

function tally(values: readonly (string | number)[]): Record<string, number> {
  const groups = Object.groupBy(values, String)
  return Object.fromEntries(Object.entries(groups).map(([value, all = []]) => [value, all.length]))
}

/** To whom mail was sent, of those whose address begins like this. */
function letters(prefix: string): readonly string[] {
  const addresses = smtp.messages.map((message) => /^To: <?([^\s>]+)/im.exec(message)?.[1] ?? '')
  return addresses.filter((address) => address.startsWith(prefix))
}

async function queueIsEmpty(): Promise<void> {
  await using stores = await installation.openStores(env)
  const waiting = () => stores.meta.selectFrom('mail_queue').select('id').execute()
  await untilSo('the queue is empty', async () => (await waiting()).length === 0)
}
