import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { pbkdf2Passwords } from '../../../src/platform/passwords/passwords.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { SecurityKey, signUpWithPasskey } from '../../service/devices/security-key.ts'
import { it } from '../../service/it.ts'
import { type Answer, type Person, people, stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'

const TRIES = 5

// Durations are measured by `npm run bench -- enumeration`; on a busy machine only the work can be compared.
describe('checklist 8: an unknown address and a wrong password', () => {
  it('checklist 8: cost one hash and the same number of statements', async () => {
    const { passwords, hashesSince } = countedPasswords()
    await using service = await startService({ platform: { passwords } })
    await people(service)
    let statements = 0
    service.platform.meta.observe(() => {
      statements += 1
    })
    const workOf = async (email: string) => {
      hashesSince()
      statements = 0
      await stranger(service).post('/api/auth/sign-in/email', { email, password: 'not the right one' })
      return { hashes: hashesSince(), statements }
    }

    const known = []
    const unknown = []
    for (let i = 0; i < TRIES; i++) {
      known.push(await workOf('ann@example.com'))
      unknown.push(await workOf('nobody@example.com'))
    }

    assert.deepEqual(unknown, known)
    assert.deepEqual(
      known.map((work) => work.hashes),
      Array(TRIES).fill(1),
    )
    assert.ok(known.every((work) => work.statements > 0))
  })
})

describe('checklist 94: if verification is required, a sign-up with a free address and with a taken one', () => {
  it('checklist 94: cost one hash, a commit in the global store, and nothing in a shard', async () => {
    const { free, taken } = await workOfSignUps((person) => person.signUp())

    assert.deepEqual(free.work, { hashes: 1, inShards: 0, hasWritten: true })
    assert.deepEqual(taken.work, free.work)
    assert.ok(Math.abs(taken.asked - free.asked) <= 2, `${free.asked} and ${taken.asked} statements`)
  })

  it('checklist 94: with a passkey, cost a commit in the global store, and nothing in a shard', async () => {
    const { free, taken } = await workOfSignUps((person, { config }) =>
      signUpWithPasskey(person, new SecurityKey(config.baseUrl)),
    )

    assert.deepEqual(free.work, { hashes: 0, inShards: 0, hasWritten: true })
    assert.deepEqual(taken.work, free.work)
    assert.ok(Math.abs(taken.asked - free.asked) <= 2, `${free.asked} and ${taken.asked} statements`)
  })
})

async function workOfSignUps(signUp: (person: Person, service: Service) => Promise<Answer<unknown>>) {
  const { passwords, hashesSince } = countedPasswords()
  await using service = await startService({ platform: { passwords } })
  await changeSettings(service, 'email', { provider: 'smtp' })
  await changeSettings(service, 'authentication', { email_verification_required: true })
  await people(service)
  let inGlobalStore = 0
  let inShards = 0
  service.platform.meta.observe(() => {
    inGlobalStore += 1
  })
  for (const shard of service.platform.shards.values())
    shard.observe(() => {
      inShards += 1
    })
  const workOf = async (email: string) => {
    const before = await rowsIn(service)
    hashesSince()
    inGlobalStore = 0
    inShards = 0
    assert.equal((await signUp(stranger(service, email), service)).status, 200)
    const work = { hashes: hashesSince(), inShards }
    const asked = inGlobalStore
    return { work: { ...work, hasWritten: (await rowsIn(service)) > before }, asked }
  }
  service.clock.advance({ hours: 25 })
  await workOf('first@example.com')
  return { free: await workOf('nobody@example.com'), taken: await workOf('ann@example.com') }
}

const WRONG_CODES = [
  { ask: 'request-password-reset', answer: 'reset-password', more: { password: 'an owl under the roof' } },
  { ask: 'send-verification-otp', answer: 'verify-email', more: { type: 'email-verification' } },
] as const

describe('checklist 75: a wrong code for an address that has an account, and for one that has none', () => {
  for (const { ask, answer, more } of WRONG_CODES) {
    it(`checklist 75: costs the same statements at ${answer}`, async ({ service }) => {
      await changeSettings(service, 'email', { provider: 'smtp' })
      await people(service)
      let statements = 0
      service.platform.meta.observe(() => {
        statements += 1
      })
      const workOf = async (email: string) => {
        const person = stranger(service, email)
        await person.post(`/api/auth/email-otp/${ask}`, { email, ...more })
        statements = 0
        const { body } = await person.post(`/api/auth/email-otp/${answer}`, { email, otp: '000000', ...more })
        return { code: body.code, statements }
      }

      await workOf('first@example.com')
      const unknown = await workOf('nobody@example.com')
      const known = await workOf('ann@example.com')

      assert.equal(known.code, 'INVALID_OTP')
      assert.deepEqual(unknown, known)
    })
  }
})

/** Of what a sign-up writes: a user, or an entry that it was refused. */
async function rowsIn({ platform: { meta } }: Service): Promise<number> {
  const tables = ['user', 'event'] as const
  const counted = await Promise.all(
    tables.map((table) => meta.primary.selectFrom(table).select('id').execute()),
  )
  return counted.flat().length
}

function countedPasswords() {
  let hashes = 0
  const real = pbkdf2Passwords({ iterations: 1 })
  const counted = <Work extends typeof real.hash | typeof real.verify>(work: Work): Work =>
    // The same function, but for the count.
    ((...args: Parameters<typeof real.verify>) => {
      hashes += 1
      return (work as typeof real.verify)(...args)
    }) as Work
  return {
    passwords: Object.create(real, {
      hash: { value: counted(real.hash) },
      verify: { value: counted(real.verify) },
    }),
    hashesSince() {
      const since = hashes
      hashes = 0
      return since
    },
  }
}
