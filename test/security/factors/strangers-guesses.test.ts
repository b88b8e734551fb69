import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, statuses } from '../../service/answers.ts'
import { type AuthenticatorApp, addApp, verifyTotp } from '../../service/devices/factors.ts'
import { addPasskey, showPasskey } from '../../service/devices/security-key.ts'
import { proveAddress, resetByCode } from '../../service/mailed.ts'
import { from } from '../../service/new-browser.ts'
import { Person } from '../../service/people.ts'
import type { Options, Service } from '../../service/service.ts'
import { it as inHouse, NEW_PASSWORD } from '../support/house.ts'

const HOME = from('198.51.100.9')
const AWAY = from('192.0.2.1')

const it = inHouse.extend<{ readonly more: Options }>({
  more: { env: { TRUSTED_PROXIES: '127.0.0.0/8' } },
})

/** One wrong guess from each of these networks. */
function guesses(thief: Person, app: AuthenticatorApp, networks: readonly number[]) {
  const code = app.wrongCode()
  return networks.map((network) => {
    const address = from(`203.0.${network}.7`)
    return network % 2 === 0
      ? () => thief.post('/api/auth/two-factor/verify-totp', { code }, address)
      : () => thief.post('/api/auth/two-factor/verify-backup-code', { code: 'bbbbb-bbbbb' }, address)
  })
}

function confirmations(thief: Person, networks: readonly number[]) {
  const code = 'bbbbb-bbbbb'
  return networks.map((network) => () => thief.post('/api/auth/confirm', { code }, from(`203.0.${network}.7`)))
}

/** Passes both steps. */
async function signInAt(place: typeof HOME, person: Person, app: AuthenticatorApp, trustDevice = false) {
  await person.signIn(place)
  const answer = await person.post('/api/auth/two-factor/verify-totp', { code: app.code(), trustDevice }, place)
  assert.equal(answer.status, 200)
}

async function oneByOne<T>(acts: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
  const results: T[] = []
  for (const act of acts) results.push(await act())
  return results
}

const upTo = (count: number, first = 0) => Array.from({ length: count }, (_, i) => first + i)

/** The thief knows the password, and has a network for each guess. */
async function useUp(thief: Person, app: AuthenticatorApp): Promise<void> {
  const answers = await oneByOne(guesses(thief, app, upTo(61)))
  assert.deepEqual(statuses(answers), [...Array(60).fill(400), 429])
}

describe('checklist 125: guesses at the second step by strangers', () => {
  it('are sixty in a day, however many networks make them; then no code of theirs counts', async ({
    service,
    app,
    browser,
    waiting,
  }) => {
    await useUp(waiting, app)

    const [other, later] = [browser(), browser()]
    await other.signIn(AWAY)
    const right = await other.post('/api/auth/two-factor/verify-totp', { code: app.code() }, AWAY)
    service.clock.advance({ hours: 24 })
    await later.signIn(AWAY)
    const nextDay = await later.post('/api/auth/two-factor/verify-totp', { code: app.code() }, AWAY)

    assertRefused(right, 'RATE_LIMITED')
    assert.match(right.body.message, /reset your password by email/)
    assert.equal(nextDay.status, 200)
  })

  it('are counted exactly if twenty come at once, over two processes', async ({ service, app, browser, waiting }) => {
    await oneByOne(guesses(waiting, app, upTo(55)))
    const there = new Person({ request: service.requestElsewhere }, waiting.email, waiting.password)
    const here = browser()
    for (const thief of [here, there]) await thief.signIn(AWAY)

    const acts = [...guesses(here, app, upTo(10, 100)), ...guesses(there, app, upTo(10, 110))]
    const answers = await Promise.all(acts.map((act) => act()))

    assert.deepEqual(statuses(answers).toSorted(), [...Array(5).fill(400), ...Array(15).fill(429)])
  })

  it('leave the owner a known browser, and none of its guesses', async ({ ann, app, waiting }) => {
    await ann.signIn(AWAY)
    await oneByOne(guesses(ann, app, upTo(9)))

    await useUp(waiting, app)

    assert.equal((await verifyTotp(ann, app.code())).status, 200)
  })

  it('leave the owner a known network, before and after', async ({ service, ann, app, browser, waiting }) => {
    await signInAt(HOME, ann, app)
    service.clock.advance({ seconds: 30 })
    const atHome = browser()
    await atHome.signIn(HOME)
    const wrong = () => atHome.post('/api/auth/two-factor/verify-backup-code', { code: 'bbbbb-bbbbb' }, HOME)
    assert.deepEqual(statuses(await oneByOne(Array(9).fill(wrong))), Array(9).fill(400))

    await useUp(waiting, app)

    const right = await atHome.post('/api/auth/two-factor/verify-totp', { code: app.code() }, HOME)
    assert.equal(right.status, 200)
  })

  it('leave the owner a passkey', async ({ ann, app, key, browser, waiting }) => {
    await addPasskey(ann, key)
    await useUp(waiting, app)

    const elsewhere = browser()
    await elsewhere.signIn(AWAY)

    assert.equal((await showPasskey(elsewhere, key)).status, 200)
  })

  it('leave the owner a reset by mail, which makes its browser known', async ({ service, ann, app, waiting }) => {
    await proveAddress(service, ann, ann)
    await useUp(waiting, app)

    const owner = new Person(service, ann.email, NEW_PASSWORD)
    await resetByCode(service, owner)
    await owner.signIn(AWAY)
    const [code = ''] = app.backupCodes

    const right = await owner.post('/api/auth/two-factor/verify-backup-code', { code }, AWAY)
    assert.equal(right.status, 200)
  })
})

describe('checklist 125: guesses where the owner has signed in before', () => {
  /** Former guests of the account: they signed in while its password was enough. */
  async function formerGuests(service: Service, ann: Person, count: number) {
    const guests = upTo(count).map(() => new Person(service, ann.email, ann.password))
    for (const guest of guests) await guest.signIn(AWAY)
    return guests
  }

  it('have a bound too that no network raises, and the owner’s reset begins anew', async ({ service, ann }) => {
    await proveAddress(service, ann, ann)
    const guests = await formerGuests(service, ann, 20)
    const app = await addApp(service, ann)

    let compared = 0
    for (const [at, guest] of guests.entries()) {
      await guest.signIn(AWAY)
      const answers = await oneByOne(guesses(guest, app, upTo(10, at * 10)))
      compared += answers.filter(({ status }) => status === 400).length
    }
    const owner = new Person(service, ann.email, NEW_PASSWORD)
    await resetByCode(service, owner)
    await owner.signIn(HOME)

    assert.equal(compared, 100 + 60)
    assert.equal((await verifyTotp(owner, app.code())).status, 200)
  })

  it('are bounded inside all sessions of a user together, too', async ({ service, ann, app, browser }) => {
    await signInAt(HOME, ann, app, true)
    let compared = 0
    for (const session of upTo(20)) {
      const copy = browser()
      copy.cookies.set('trusted_device', ann.cookies.get('trusted_device') ?? '')
      await copy.signIn(HOME)
      const answers = await oneByOne(confirmations(copy, upTo(10, session * 10)))
      compared += answers.filter(({ status }) => status === 400).length
    }
    service.clock.advance({ seconds: 30 })

    assert.equal(compared, 100 + 60)
    await signInAt(HOME, browser(), app)
  })
})

describe('checklist 125: a network that a user has signed in from', () => {
  const known = (service: Service) => service.platform.meta.selectFrom('known_network').selectAll().execute()

  it('is one address or one /64, and the twenty last ones are kept', async ({ service, ann }) => {
    for (const last of upTo(21)) {
      service.clock.advance({ minutes: 1 })
      await ann.signIn(from(`2001:db8:0:${last}::${last + 1}`))
    }
    await ann.signIn(from('2001:db8:0:5::77'))

    const networks = (await known(service)).map(({ network }) => network)
    assert.deepEqual(
      networks.toSorted(),
      upTo(20, 1)
        .map((last) => `2001:db8:0:${last}::/64`)
        .toSorted(),
    )
  })

  it('is in the user’s export, goes after 400 days, and with the user', async ({ service, ann, ben }) => {
    for (const person of [ann, ben]) await person.signIn(HOME)

    const { body } = await ann.post('/api/export_account')
    assert.deepEqual(body.user.known_networks, [{ network: '198.51.100.9', signed_in_at: service.clock.now() }])
    await ann.post('/api/auth/delete-user', { password: ann.password })
    await service.runJob('erasure')
    assert.deepEqual(
      (await known(service)).map(({ user_id }) => user_id),
      [ben.id],
    )
    service.clock.advance({ days: 400 })
    await service.runJob('session-sweep')
    assert.deepEqual(await known(service), [])
  })

  it('is not the owner’s if somebody else signed up with the address', async ({ service, ann }) => {
    await ann.signIn(HOME)
    const owner = new Person(service, ann.email, NEW_PASSWORD)

    const { status } = await proveAddress(service, ann, owner)

    assert.equal(status, 200)
    assert.deepEqual(await known(service), [])
  })
})
