import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { Dice } from '../../../test/chaos/dice.ts'
import { openWrapped } from '../../../test/interleavings/engines/open-wrapped.ts'
import { WrappedEngine } from '../../../test/interleavings/engines/wrapped-engine.ts'
import { it as onService } from '../../../test/service/it.ts'
import { stranger } from '../../../test/service/people.ts'
import { type Service, startService } from '../../../test/service/service.ts'
import type { Work } from '../../database/decision.ts'
import type { Engine } from '../../database/store.ts'
import type { IncomingUser } from '../../features/people/account/importing.ts'
import { adding, importAtOnce } from './at-once.ts'
import { importUsers } from './users-file.ts'

interface Line {
  readonly id: string
  readonly email: string
}

const silent = () => undefined
const ACCOUNT = {
  provider: 'provider_a',
  issuer: 'google',
  provider_account_id: '7',
  password_hash: null,
} as const
/** Two users are equal in one field. */
const SAME: Readonly<Record<string, readonly Partial<IncomingUser>[]>> = {
  id: [{ id: 'a' }, { id: 'a' }],
  'id, the second with a free account': [{ id: 'a' }, { id: 'a', accounts: [ACCOUNT] }],
  address: [{ email: 'ann@example.com' }, { email: 'ann@example.com' }],
  'account at a provider': [{ accounts: [ACCOUNT] }, { accounts: [ACCOUNT] }],
}

const it = onService.extend<{ readonly watch: Watch; readonly watched: Service }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  watch: async ({}, use) => use(new Watch()),
  watched: async ({ watch }, use) => {
    await using service = await startService({
      open: (config) => openWrapped(config, (engine) => new WatchedEngine(watch, engine)),
    })
    watch.most = 0
    watch.ended = 0
    await use(service)
  },
})

describe('an import of many users', () => {
  it('has several under way at once, and at most fifty', async ({ watch, watched }) => {
    const { imported } = await importUsers(watched.platform, distinct(120), silent)

    assert.equal(imported, 120)
    assert.ok(watch.most > 1 && watch.most <= 50, `${watch.most}`)
  })

  it('imports the first of two with the same address or id, as if in turn', async ({ service }) => {
    const lines = colliding(300)
    const expected = oneAfterAnother(lines)

    const { imported, skipped } = await importUsers(service.platform, lines, silent)

    assert.equal(imported, expected.imported.length)
    assert.deepEqual([named(skipped), await usersOf(service)], [expected.leftOut, expected.imported])
  })

  for (const [same, fields] of Object.entries(SAME))
    it(`waits for the first of two users with the same ${same}`, async ({ watch, watched }) => {
      const users = fields.map((field, at) => {
        const place = { line: at + 1, id: null, email: null }
        return { who: `user ${at}`, place, incoming: incoming(at, field) }
      })

      const { imported, skipped } = await importAtOnce(adding(watched.platform, false), users, silent)

      assert.deepEqual([imported, named(skipped), watch.most], [1, ['user 1'], 1])
    })

  it('names those who are left out in the order of the file, whatever the reason', async ({ service }) => {
    await importUsers(service.platform, [{ email: 'user-3@example.com' }], silent)
    const [first, , third, fourth, fifth, , last] = distinct(7)
    const lines = [first, { email: 'nobody' }, third, fourth, { ...fifth, password_hash: 'md5' }, null, last]

    const { imported, skipped } = await importUsers(service.platform, lines, silent)

    assert.equal(imported, 3)
    assert.deepEqual(named(skipped), ['user 2 (nobody)', 'user-3@example.com', 'user-4@example.com', 'user 6'])
  })

  it('counts as done only what is done', async ({ watch, watched }) => {
    const reported: (readonly number[])[] = []

    await importUsers(watched.platform, distinct(120), (done) => reported.push([done, watch.ended]))

    assert.ok(reported.length > 1)
    assert.deepEqual(
      reported,
      reported.map(([done]) => [done, done]),
    )
    assert.equal(reported.at(-1)?.[0], 120)
  })

  it('ends with the error of one once the others ended, and can be repeated', async ({ watch, watched }) => {
    watch.refused = 'user-60@example.com'

    await assert.rejects(importUsers(watched.platform, distinct(120), silent), RefusedHere)
    const { underWay } = watch
    watch.refused = undefined
    const { imported, skipped } = await importUsers(watched.platform, distinct(120), silent)

    assert.deepEqual([underWay, imported, skipped.length], [0, 21, 99])
  })

  it('beside sign-ups, each user is whole: from the import or from the sign-up', async ({ service }) => {
    const lines = distinct(60)
    const signingUp = lines.toReversed().slice(0, 30)
    const imports = importUsers(service.platform, lines, silent)

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

/** Counts the users being inserted, and names one whom the store refuses. */
class Watch {
  underWay = 0
  most = 0
  ended = 0
  refused: string | undefined
}

class RefusedHere extends Error {}

class WatchedEngine extends WrappedEngine {
  readonly #watch: Watch

  constructor(watch: Watch, engine: Engine) {
    super(engine)
    this.#watch = watch
  }

  override async decide(work: Work): Promise<void> {
    const watch = this.#watch
    let isInsertion = false
    const watched: Work = (send) =>
      work((queries) => {
        const insertion = queries.find(({ sql }) => sql.startsWith('insert into "user" '))
        if (watch.refused && insertion?.parameters.includes(watch.refused)) throw new RefusedHere()
        if (insertion && !isInsertion) watch.most = Math.max(watch.most, ++watch.underWay)
        isInsertion ||= insertion !== undefined
        return send(queries)
      })
    try {
      await super.decide(watched)
    } finally {
      if (isInsertion) {
        watch.underWay--
        watch.ended++
      }
    }
  }
}

function incoming(at: number, field: Partial<IncomingUser>): IncomingUser {
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
  const users = meta.selectFrom('user').select(['id', 'email']).where('role', '=', 'user')
  return await users.orderBy('email').execute()
}

async function rowsFor({ platform: { meta } }: Service) {
  const users = meta.selectFrom('user').select('id').where('role', '=', 'user')
  const accounts = await meta.selectFrom('account').select('id').where('user_id', 'in', users).execute()
  const assigned = meta.selectFrom('user_shards').select('user_id').where('user_id', 'in', users)
  return { accounts: accounts.length, assignments: (await assigned.execute()).length }
}
