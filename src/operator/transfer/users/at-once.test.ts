import assert from 'node:assert/strict'
import type { CompiledQuery } from 'kysely'
import { describe } from 'vitest'
import { Dice } from '../../../../test/chaos/dice.ts'
import { openWrapped } from '../../../../test/interleavings/engines/open-wrapped.ts'
import { WrappedEngine } from '../../../../test/interleavings/engines/wrapped-engine.ts'
import { it } from '../../../../test/service/it.ts'
import { stranger } from '../../../../test/service/people.ts'
import { type Service, startService } from '../../../../test/service/service.ts'
import { type Engine, StoreUnavailable } from '../../../database/store.ts'
import type { Incoming } from '../../../features/identity/creation/incoming.ts'
import { importAtOnce } from './at-once.ts'
import { importUsers } from './users-file.ts'

interface Line {
  readonly id: string
  readonly email: string
}

const ACCOUNT = {
  provider: 'provider_a',
  issuer: 'google',
  providerAccountId: '7',
  passwordHash: null,
} as const
/** Two users are equal in one field. Half of a surrogate pair is stored as U+FFFD. */
const SAME: Readonly<Record<string, readonly Partial<Incoming>[]>> = {
  id: [{ id: 'a' }, { id: 'a' }],
  'id, the second with a free account': [{ id: 'a' }, { id: 'a', accounts: [ACCOUNT] }],
  'id once it is stored': [{ id: 'a\ud800' }, { id: 'a\udc00' }],
  address: [{ email: 'ann@example.com' }, { email: 'ann@example.com' }],
  'account at a provider': [{ accounts: [ACCOUNT] }, { accounts: [ACCOUNT] }],
}

describe('an import of many users', () => {
  it('has several under way at once, and at most fifty', async () => {
    await using w = await world()

    const { imported } = await importUsers(w.service.platform, distinct(120), () => undefined)

    assert.equal(imported, 120)
    assert.ok(w.watch.most > 1 && w.watch.most <= 50, `${w.watch.most}`)
  })

  it('has the result of one after another: of two with the same address or id, the first is imported', async ({
    service,
  }) => {
    const lines = colliding(300)
    const expected = oneAfterAnother(lines)

    const { imported, skipped } = await importUsers(service.platform, lines, () => undefined)

    assert.equal(imported, expected.imported.length)
    assert.deepEqual(named(skipped), expected.leftOut)
    assert.deepEqual(await usersOf(service), expected.imported)
  })

  for (const [same, fields] of Object.entries(SAME))
    it(`waits for the first of two users with the same ${same}`, async () => {
      await using w = await world()
      const users = fields.map((field, at) => ({ who: `user ${at}`, incoming: incoming(at, field) }))

      const { imported, skipped } = await importAtOnce(w.service.platform, users, () => undefined)

      assert.deepEqual([imported, named(skipped)], [1, ['user 1']])
      assert.equal(w.watch.most, 1)
    })

  it('names those who are left out in the order of the file, whatever the reason', async ({ service }) => {
    await importUsers(service.platform, [{ email: 'user-3@example.com' }], () => undefined)
    const [first, , third, fourth, fifth, , last] = distinct(7)
    const lines = [first, { email: 'nobody' }, third, fourth, { ...fifth, password_hash: 'md5' }, null, last]

    const { imported, skipped } = await importUsers(service.platform, lines, () => undefined)

    assert.equal(imported, 3)
    assert.deepEqual(named(skipped), [
      'user 2 (nobody)',
      'user-3@example.com',
      'user-4@example.com',
      'user 6',
    ])
  })

  it('counts as done only what is done', async () => {
    await using w = await world()
    const reported: (readonly number[])[] = []

    await importUsers(w.service.platform, distinct(120), (done) => reported.push([done, w.watch.ended]))

    assert.ok(reported.length > 1)
    assert.deepEqual(
      reported,
      reported.map(([done]) => [done, done]),
    )
    assert.equal(reported.at(-1)?.[0], 120)
  })

  it('ends with the error of one when the others at that time have ended, and can be repeated', async () => {
    await using w = await world()
    w.watch.refused = 'user-60@example.com'

    await assert.rejects(
      importUsers(w.service.platform, distinct(120), () => undefined),
      StoreUnavailable,
    )
    const { underWay } = w.watch
    w.watch.refused = undefined
    const { imported, skipped } = await importUsers(w.service.platform, distinct(120), () => undefined)

    assert.equal(underWay, 0)
    assert.deepEqual([imported, skipped.length], [21, 99])
  })

  it('beside sign-ups with the same addresses: each user is whole, and of the import or of the sign-up', async ({
    service,
  }) => {
    const lines = distinct(60)
    const signingUp = lines.toReversed().slice(0, 30)
    const imports = importUsers(service.platform, lines, () => undefined)

    const signUps = signingUp.map(({ email }) => stranger(service, email).signUp())
    const [{ imported, skipped }] = await Promise.all([imports, ...signUps])

    const users = await usersOf(service)
    const ofSignUps = users.filter(({ id }) => !lines.some((line) => line.id === id))
    assert.deepEqual(
      users.map(({ email }) => email),
      lines.map(({ email }) => email).toSorted(),
    )
    assert.equal(imported, users.length - ofSignUps.length)
    assert.deepEqual(
      named(skipped).toSorted(),
      ofSignUps.map(({ email }) => email),
    )
    assert.deepEqual(await rowsFor(service), { accounts: 60, assignments: 60 })
  })
})

async function world() {
  const watch = new Watch()
  const service = await startService({
    open: (config) => openWrapped(config, (engine) => new WatchedEngine(watch, engine)),
  })
  watch.forget()
  return { service, watch, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

/** How many users are being inserted, and who is refused by the store. */
class Watch {
  underWay = 0
  most = 0
  ended = 0
  refused: string | undefined

  forget(): void {
    this.most = 0
    this.ended = 0
  }
}

class WatchedEngine extends WrappedEngine {
  readonly #watch: Watch

  constructor(watch: Watch, engine: Engine) {
    super(engine)
    this.#watch = watch
  }

  protected override async around<T>(queries: readonly CompiledQuery[], send: () => Promise<T>): Promise<T> {
    const insertion = queries.find(({ sql }) => sql.startsWith('insert into "user" '))
    if (!insertion) return send()
    const watch = this.#watch
    if (watch.refused && insertion.parameters.includes(watch.refused)) throw new StoreUnavailable('meta')
    watch.most = Math.max(watch.most, ++watch.underWay)
    try {
      return await send()
    } finally {
      watch.underWay--
      watch.ended++
    }
  }
}

function incoming(at: number, field: Partial<Incoming>): Incoming {
  const [line] = distinct(at + 1).slice(at)
  const facts = { id: '', email: '', name: '', emailVerified: true, image: null, createdAt: 1 }
  return { ...facts, isSuspended: false, accounts: [], ...line, ...field }
}

function distinct(count: number): readonly Line[] {
  return Array.from({ length: count }, (_, at) => ({ id: `id-${at}`, email: `user-${at}@example.com` }))
}

/** Few addresses and ids; an address in forms that are equal here: capitals, the Kelvin sign, a space before it. */
function colliding(count: number): readonly Line[] {
  const dice = new Dice('equal lines')
  return Array.from({ length: count }, () => {
    const [address, id] = [`k-${dice.below(count)}@example.com`, `id-${dice.below(count)}`]
    return {
      id,
      email: dice.oneOf([address, address.toUpperCase(), ` ${address.replace('k', '\u212a')}`]) ?? address,
    }
  })
}

function oneAfterAnother(lines: readonly Line[]) {
  const taken = new Set<string>()
  const imported: Line[] = []
  const leftOut: string[] = []
  for (const line of lines) {
    const { id } = line
    const email = line.email.trim().toLowerCase()
    if (taken.has(id) || taken.has(email)) {
      leftOut.push(email)
      continue
    }
    imported.push({ id, email })
    taken.add(id).add(email)
  }
  return { imported: imported.toSorted((a, b) => (a.email < b.email ? -1 : 1)), leftOut }
}

function named(skipped: readonly { readonly who: string }[]): readonly string[] {
  return skipped.map(({ who }) => who)
}

async function usersOf({ platform: { meta } }: Service): Promise<readonly Line[]> {
  return await meta
    .selectFrom('user')
    .select(['id', 'email'])
    .where('role', '=', 'user')
    .orderBy('email')
    .execute()
}

async function rowsFor({ platform: { meta } }: Service) {
  const users = meta.selectFrom('user').select('id').where('role', '=', 'user')
  const accounts = await meta.selectFrom('account').select('id').where('user_id', 'in', users).execute()
  const assignments = await meta
    .selectFrom('user_shards')
    .select('user_id')
    .where('user_id', 'in', users)
    .execute()
  return { accounts: accounts.length, assignments: assignments.length }
}
