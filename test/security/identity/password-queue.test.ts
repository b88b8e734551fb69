import assert from 'node:assert/strict'
import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { describe, it } from 'vitest'
import { OPERATOR, pbkdf2Passwords } from '../../../src/platform/passwords/passwords.ts'
import { foreignHashes } from '../../service/foreign-hashes.ts'
import { from, inNewBrowser } from '../../service/new-browser.ts'
import { type Answer, Person, people, stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'

type Sender = (service: Service, owner: Person, i: number) => Promise<Answer<{ readonly code?: string }>>

type AddressOf = (i: number) => string

const right =
  (addressOf: AddressOf): Sender =>
  (service, owner, i) =>
    inNewBrowser(service, owner).signIn(from(addressOf(i)))

/** Guesses at one account or, each time, at another. */
const wrong =
  (accounts: 'one' | 'many', addressOf: AddressOf): Sender =>
  (service, owner, i) => {
    const email = accounts === 'one' ? owner.email : `person-${i}@example.com`
    return new Person(service, email, 'not the password').signIn(from(addressOf(i)))
  }

const IN_24: AddressOf = (i) => `203.0.113.${i}`
const IN_64: AddressOf = (i) => `2001:db8:1:2::${i.toString(16)}`
const IN_48: AddressOf = (i) => `2001:db8:1:${i.toString(16)}::1`
const IN_THREE: AddressOf = (i) => `203.0.${i % 3}.${i}`
const IN_HUNDRED: AddressOf = (i) => `203.0.${i % 100}.7`

const signUpOrChange: Sender = (service, owner, i) => {
  const newcomer = stranger(service, `new-${i}@example.com`)
  const account = { email: newcomer.email, password: newcomer.password, name: 'New' }
  const change = { currentPassword: owner.password, newPassword: 'a quieter walk in the snow' }
  return i % 2 === 0
    ? newcomer.post('/api/auth/sign-up/email', account, from('203.0.113.7'))
    : owner.post('/api/auth/change-password', change, from('203.0.113.7'))
}

const OF_ACCOUNT = [8, 8] as const
const OF_NETWORK = [32, 32] as const
/** Cases with and without the places for newcomers, on one core. */
const OF_MANY = [64, 256] as const

/** Floods: requests at once, their networks, and how many of them may wait. */
const FLOODS: readonly (readonly [string, number, number, readonly [number, number], Sender])[] = [
  ['the right password of one account from a /24', 80, 1, OF_ACCOUNT, right(() => '203.0.113.7')],
  ['wrong passwords of many accounts from a /24', 80, 1, OF_NETWORK, wrong('many', IN_24)],
  ['wrong passwords of many accounts from a /64', 80, 1, OF_NETWORK, wrong('many', IN_64)],
  ['wrong passwords of many accounts from a /48', 80, 1, OF_NETWORK, wrong('many', IN_48)],
  ['sign-ups and password changes from a /24', 100, 1, OF_NETWORK, signUpOrChange],
  ['wrong passwords of many accounts from three networks', 90, 3, OF_MANY, wrong('many', IN_THREE)],
  ['wrong passwords of many accounts from a hundred', 200, 100, OF_MANY, wrong('many', IN_HUNDRED)],
  ['wrong passwords of one account from a hundred', 200, 100, OF_MANY, wrong('one', IN_HUNDRED)],
  ['the right password of one account from a hundred', 200, 100, OF_MANY, right(IN_HUNDRED)],
]

describe('checklist 71: beside a flood of sign-ins at once', () => {
  for (const [what, requests, networks, [least, most], send] of FLOODS) {
    it(`checklist 71: of ${what}, others sign in within one turn of each network`, async () => {
      const { waiting, others, turns, answers } = await flooded(requests, send)

      for (const { status } of others) assert.equal(status, 200)
      assert.ok(waiting >= least && waiting <= most, `${waiting} waited`)
      assert.ok(Math.max(...turns) <= networks + 2 * others.length, `${turns} turns`)
      assert.ok(answers.every(({ status }) => [200, 401, 429, 503].includes(status)))
      const refused = answers.filter(({ status }) => status === 503)
      assert.ok(refused.length > 0)
      for (const { body, headers } of refused)
        assert.deepEqual([body.code, headers.get('retry-after')], ['STORE_UNAVAILABLE', '2'])
    })
  }
})

describe('checklist 71: beside imported hashes, whose check can take two seconds,', () => {
  it('checklist 71: others sign in within one of their turns, from however many networks they come', async () => {
    const passwords = pbkdf2Passwords({ iterations: 1, atOnce: 1 })
    const own = await passwords.hash('a long walk in the rain', OPERATOR)
    const imported = foreignHashes('another')['PBKDF2 of Django']
    const done: string[] = []
    const check = async (what: string, stored: string, network: string) => {
      await passwords.verify('a long walk in the rain', stored, [network, network, network])
      done.push(what)
    }

    const flood = Array.from({ length: 30 }, (_, i) => check('imported', imported, `203.${i}`))
    const others = ['198.51', '198.52'].map((network) => check('own', own, network))
    await Promise.all([...flood, ...others])

    assert.ok(done.lastIndexOf('own') <= 3, done.join(' '))
  })
})

/** Ben and the administrator sign in from elsewhere once all of the flood waits or is refused. */
async function flooded(requests: number, send: Sender) {
  const hashes = heldHashes()
  await using service = await startService({
    env: { TRUSTED_PROXIES: '127.0.0.0/8' },
    platform: { passwords: hashes.passwords },
  })
  const { administrator, ann, ben } = await people(service)
  const release = hashes.hold()
  let sent = 0
  let answered = 0
  const counted = async <T>(answer: Promise<T>) => {
    sent += 1
    const value = await answer
    answered += 1
    return value
  }
  const untilAllWait = async () => {
    const hashed = 1
    while (hashes.waiting() + answered + hashed < sent) await new Promise(setImmediate)
  }

  const flood = Array.from({ length: requests }, (_, i) => counted(send(service, ann, i)))
  await untilAllWait()
  const waiting = hashes.waiting()
  const before = hashes.done()
  const others = [
    counted(ben.signIn(from('198.51.100.9'))),
    counted(inNewBrowser(service, administrator).signIn(from('2001:db8:9::1'))),
  ]
  await untilAllWait()
  release()
  const ofOthers = await Promise.all(others)
  const turns = [ben, administrator].map(({ email }) => hashes.doneFor(email) - before)
  return { waiting, others: ofOthers, turns, answers: await Promise.all(flood) }
}

/** One hash at a time, and none is done while they are held. */
function heldHashes() {
  const derive = promisify(pbkdf2)
  let held: Promise<void> = Promise.resolve()
  let done = 0
  const doneFor = new Map<string, number>()
  const real = pbkdf2Passwords({
    iterations: 1,
    atOnce: 1,
    async derive(...args) {
      await held
      done += 1
      return derive(...args)
    },
  })
  const verify: typeof real.verify = async (password, stored, requester) => {
    const isRight = await real.verify(password, stored, requester)
    doneFor.set(requester[2], done)
    return isRight
  }
  return {
    passwords: Object.create(real, { verify: { value: verify } }),
    waiting: () => real.waiting,
    done: () => done,
    /** The number of hashes that were done when this account's last one was. */
    doneFor: (account: string) => doneFor.get(account) ?? Number.POSITIVE_INFINITY,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return resolve
    },
  }
}
