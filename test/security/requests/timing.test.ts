import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { changeSettings } from '../../service/change-settings.ts'
import { SecurityKey, signUpWithPasskey } from '../../service/devices/security-key.ts'
import { it as base } from '../../service/it.ts'
import { type Answer, type Person, people, stranger } from '../../service/people.ts'
import type { Options, Service } from '../../service/service.ts'
import { WITH_MAIL } from '../../service/with-mail.ts'
import { REQUEST_RESET, RESET, SEND, VERIFY } from '../support/codes.ts'
import { countedPasswords } from '../support/counted-passwords.ts'

const TRIES = 5

type Act = () => Promise<Answer<{ readonly code?: string }>>

interface Fixtures {
  readonly options: Options
  readonly counted: ReturnType<typeof countedPasswords>
  /** Runs the act while Ann's account exists. */
  readonly workOf: (act: Act) => Promise<{
    readonly answer: Awaited<ReturnType<Act>>
    /** Statements in the global store. */
    readonly asked: number
    readonly work: { readonly hashes: number; readonly inShards: number; readonly hasWritten: boolean }
  }>
}

// Durations are measured by `npm run bench -- enumeration`; on a busy machine only the work can be compared.
const it = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  counted: async ({}, use) => use(countedPasswords()),
  options: async ({ counted: { passwords } }, use) => use({ platform: { passwords } }),
  workOf: async ({ service, counted }, use) => {
    await people(service)
    const { meta, shards } = service.platform
    const statements = { global: 0, inShards: 0 }
    meta.observe({
      took: () => {
        statements.global += 1
      },
      failed: () => undefined,
    })
    for (const shard of shards.values())
      shard.observe({
        took: () => {
          statements.inShards += 1
        },
        failed: () => undefined,
      })
    await use(async (act) => {
      const before = await rowsIn(service)
      counted.hashesSince()
      Object.assign(statements, { global: 0, inShards: 0 })
      const answer = await act()
      const { global: asked, inShards } = statements
      const hashes = counted.hashesSince()
      return { answer, asked, work: { hashes, inShards, hasWritten: (await rowsIn(service)) > before } }
    })
  },
})

/** The rows a sign-up writes: a user, or an entry about its refusal. */
async function rowsIn({ platform: { meta } }: Service): Promise<number> {
  const tables = (['user', 'event'] as const).map((table) => meta.primary.selectFrom(table).select('id'))
  return (await Promise.all(tables.map((query) => query.execute()))).flat().length
}

describe('checklist 8: an unknown address and a wrong password', () => {
  it('checklist 8: cost one hash and the same number of statements', async ({ service, workOf }) => {
    const password = 'not the right one'
    const signIn = (email: string) =>
      workOf(() => stranger(service).post('/api/auth/sign-in/email', { email, password }))

    for (let i = 0; i < TRIES; i++) {
      const known = await signIn('ann@example.com')
      const unknown = await signIn('nobody@example.com')

      assert.deepEqual([known.work.hashes, unknown.work.hashes], [1, 1])
      assert.ok(known.asked > 0)
      assert.equal(unknown.asked, known.asked)
    }
  })
})

describe('checklist 94: if verification is required, a sign-up with a free address and with a taken one', () => {
  const cost: readonly (readonly [string, number, (person: Person, service: Service) => ReturnType<Act>])[] = [
    ['cost one hash', 1, (person) => person.signUp()],
    ['with a passkey, cost none', 0, (p, { config }) => signUpWithPasskey(p, new SecurityKey(config.baseUrl))],
  ]
  it.override('settings', WITH_MAIL)

  for (const [what, hashes, signUp] of cost) {
    it(`checklist 94: ${what}, a commit in the global store, none in a shard`, async ({ service, workOf }) => {
      await changeSettings(service, 'authentication', { email_verification_required: true })
      service.clock.advance({ hours: 25 })
      const workOfSignUp = async (email: string) => {
        const done = await workOf(() => signUp(stranger(service, email), service))
        assert.equal(done.answer.status, 200)
        return done
      }

      await workOfSignUp('first@example.com')
      const free = await workOfSignUp('nobody@example.com')
      const taken = await workOfSignUp('ann@example.com')

      assert.deepEqual(free.work, { hashes, inShards: 0, hasWritten: true })
      assert.deepEqual(taken.work, free.work)
      assert.ok(Math.abs(taken.asked - free.asked) <= 2, `${free.asked} and ${taken.asked} statements`)
    })
  }
})

describe('checklist 75: a wrong code for an address that has an account, and for one that has none', () => {
  it.override('settings', WITH_MAIL)

  for (const [ask, path, more] of [
    [REQUEST_RESET, RESET, { password: 'an owl under the roof' }],
    [SEND, VERIFY, { type: 'email-verification' }],
  ] as const) {
    it(`checklist 75: costs the same statements at ${path}`, async ({ service, workOf }) => {
      const wrongCode = async (email: string) => {
        const person = stranger(service, email)
        await person.post(ask, { email, ...more })
        const { answer, asked } = await workOf(() => person.post(path, { email, otp: '000000', ...more }))
        return { code: answer.body.code, asked }
      }

      await wrongCode('first@example.com')
      const unknown = await wrongCode('nobody@example.com')
      const known = await wrongCode('ann@example.com')

      assert.equal(known.code, 'INVALID_OTP')
      assert.deepEqual(unknown, known)
    })
  }
})
