import assert from 'node:assert/strict'
import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { describe, it } from 'vitest'
import { pbkdf2Passwords } from '../../../src/platform/passwords/passwords.ts'
import { from, inNewBrowser } from '../../service/new-browser.ts'
import { Person, people } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'

const NETWORKS = 100
const REQUESTS = 2 * NETWORKS
// What passwords.ts lets wait on one core.
const WAITING = 64
const WAITING_WITH_NEWCOMERS = 256

type Sender = (service: Service, owner: Person, i: number) => Promise<{ readonly status: number }>

/** Each sends this from its own /24. */
const FLOODS: readonly (readonly [what: string, send: Sender])[] = [
  ['wrong passwords of as many accounts', (service, _, i) => guess(service, `person-${i}@example.com`, i)],
  ['wrong passwords of one account', (service, owner, i) => guess(service, owner.email, i)],
  ['the right password of one account', (service, owner, i) => inNewBrowser(service, owner).signIn(at(i))],
]

describe('checklist 71: beside a flood of sign-ins from a hundred networks at once', () => {
  for (const [what, send] of FLOODS) {
    it(`${what}: others sign in within one turn of each network`, async () => {
      const hashes = heldHashes()
      await using service = await startService({
        env: { TRUSTED_PROXIES: '127.0.0.0/8' },
        platform: { passwords: hashes.passwords },
      })
      const { administrator, ann, ben } = await people(service)
      const release = hashes.hold()
      let refused = 0

      const flood = Array.from({ length: REQUESTS }, async (_, i) => {
        const { status } = await send(service, ann, i % NETWORKS)
        if (status === 503) refused += 1
        return status
      })
      const firstIsHashed = 1
      while (hashes.waiting() + refused + firstIsHashed < REQUESTS) await new Promise(setImmediate)
      const waitingBefore = hashes.waiting()
      const before = hashes.done()
      const others = [
        ben.signIn(from('198.51.100.9')),
        inNewBrowser(service, administrator).signIn(from('2001:db8:9::1')),
      ]
      let answered = 0
      for (const other of others) void other.then(() => (answered += 1))
      while (hashes.waiting() + answered < waitingBefore + others.length) await new Promise(setImmediate)
      release()
      const signedIn = await Promise.all(others)
      const waited = [ben, administrator].map(({ email }) => hashes.doneFor(email) - before)
      const statuses = await Promise.all(flood)

      assert.deepEqual(
        signedIn.map(({ status }) => status),
        [200, 200],
      )
      assert.ok(
        waitingBefore >= WAITING && waitingBefore <= WAITING_WITH_NEWCOMERS,
        `${waitingBefore} waited`,
      )
      assert.ok(Math.max(...waited) <= NETWORKS + 2 * others.length, `${waited} turns`)
      assert.ok(refused > 0)
      assert.ok(statuses.every((status) => [200, 401, 429, 503].includes(status)))
    })
  }
})

function at(network: number) {
  return from(`203.0.${network}.7`)
}

function guess(service: Service, email: string, network: number) {
  return new Person(service, email, 'not the password').signIn(at(network))
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
    /** How many were done when this account's last one was. */
    doneFor: (account: string) => doneFor.get(account) ?? Number.POSITIVE_INFINITY,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return resolve
    },
  }
}
