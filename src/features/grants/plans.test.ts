import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CompiledQuery } from 'kysely'
import { metaMigrations } from '../../database/migrations/meta.ts'
import { migrate } from '../../database/migrations/migrate.ts'
import type { MetaTables } from '../../database/schema/tables.ts'
import { SqliteEngine } from '../../database/sqlite/engine.ts'
import { type Meta, Store } from '../../database/store.ts'
import { userIds } from '../users/statements.ts'
import { redeemCode } from './requests/redeeming-store.ts'
import { endGrantsOf, endGrantsOfClient } from './statements.ts'
import { revokeGrant } from './store.ts'
import { insertServiceToken } from './tokens/service-store.ts'
import { rotate } from './tokens/store.ts'

const GRANT = { grantId: 'grant', now: 1, eventId: 'event', ip: null, clientName: '"Shop"' }
const TOKENS = {
  ...{ accessHash: 'access', accessExpiresAt: 2, narrowerScopes: null },
  ...{ refreshHash: 'refresh', refreshExpiresAt: 3 },
}
const CODE = { clientId: 'shop', codeHash: 'code', redirectUri: 'https://shop.example', codeChallenge: 'x' }
const SERVICE = {
  ...{ clientId: 'worker', clientName: 'Worker', targetOrigin: 'https://id.example', scopes: 'a' },
  ...{ newGrantId: 'grant', eventId: 'event', grantScopes: 'a', accessHash: 'access' },
  ...{ now: 1, accessExpiresAt: 2, grantExpiresAt: 3 },
}

const ACTS: Readonly<Record<string, (meta: Meta) => Promise<unknown>>> = {
  'a code is redeemed': (meta) => redeemCode(meta, CODE, { ...GRANT, ...TOKENS }),
  'a refresh': (meta) =>
    rotate(meta, { ...GRANT, ...TOKENS, oldHash: 'old', origin: 'here', olderAccessEndsAt: 2 }),
  'a token for a service': (meta) => insertServiceToken(meta, SERVICE),
  'a grant is revoked': (meta) => meta.batch(revokeGrant(meta, 'grant', 1)),
  "a user's grants end": (meta) =>
    meta.batch(endGrantsOf(meta, userIds(meta).where('user.id', '=', 'ann'), 1)),
  "an application's grants end": (meta) => meta.batch(endGrantsOfClient(meta, 'shop', 1)),
}

describe('what a statement about grants costs', () => {
  for (const [act, perform] of Object.entries(ACTS))
    it(`does not grow with everybody's living grants on an embedded store: ${act}`, async () => {
      const engine = new WatchedEngine('meta', ':memory:')
      const meta = new Store<MetaTables>(engine)
      await migrate(meta, metaMigrations, 1)
      engine.seen.length = 0

      await perform(meta)

      const plans = await engine.plans()
      assert.ok(plans.some((step) => step.includes('api_grant')))
      assert.deepEqual(plans.filter(goesThroughLivingGrants), [])
    })
})

class WatchedEngine extends SqliteEngine {
  readonly seen: CompiledQuery[] = []

  override batch(queries: readonly CompiledQuery[]) {
    this.seen.push(...queries)
    return super.batch(queries)
  }

  async plans(): Promise<readonly string[]> {
    const explain = ({ sql, parameters }: CompiledQuery) =>
      CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])
    const explained = await super.batch(this.seen.map(explain))
    return explained.flatMap(({ rows }) => rows.map((row) => String(Reflect.get(Object(row), 'detail'))))
  }
}

function goesThroughLivingGrants(step: string): boolean {
  return /^SCAN api_grant\b/.test(step) || step.includes('api_grant_revoked')
}
