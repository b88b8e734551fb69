import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { describe, it } from 'vitest'
import { watchedMeta } from '../../../../test/plans/watched-engine.ts'
import type { Meta } from '../../../database/store.ts'
import { cliClient } from '../clients/cli-client.ts'
import { deleteActsOf } from '../grant-calls/statements.ts'
import { endGrantsOf, endGrantsOfClient, revokeGrants } from './statements.ts'
import { deleteEnded, forgetConsentOf } from './store.ts'
import { countGrants, crowdedGrants, forgetEndedTools, lockedRequest } from './tokens/redeeming-store.ts'
import { insertServiceToken, lockedFirstGrant } from './tokens/service-store.ts'
import { rotate } from './tokens/store.ts'

const TOKENS = {
  ...{ grantId: 'grant', now: 1 },
  ...{ accessHash: 'access', accessExpiresAt: 2, narrowerScopes: null, narrowerResource: null },
  ...{ refreshHash: 'refresh', refreshExpiresAt: 3 },
}
const CODE = { column: 'code_hash', clientId: 'shop', hash: 'code' } as const
const SERVICE = {
  ...{ clientId: 'worker', scopes: 'a', grantScopes: 'a', resource: null, accessHash: 'access' },
  ...{ now: 1, accessExpiresAt: 2 },
}

/** This client needs no lock; other applications are locked by their id. */
const client = cliClient

const ACTS: Readonly<Record<string, (meta: Meta) => Promise<unknown>>> = {
  'a code is redeemed': (meta) =>
    meta.batch([
      ...lockedRequest(meta, CODE),
      countGrants(meta, CODE, 'tool', 1),
      crowdedGrants(meta, { userId: 'ann', kind: 'application', now: 1 }),
      forgetEndedTools(meta, { userId: 'ann', now: 1 }),
    ]),
  'a refresh': (meta) => rotate(meta, client, { ...TOKENS, oldHash: 'old', origin: 'here', olderAccessEndsAt: 2 }),
  'a token for a service': (meta) => insertServiceToken(meta, client, SERVICE),
  'the first token for a service': (meta) => meta.batch(lockedFirstGrant(meta, SERVICE)),
  'a grant is revoked': (meta) =>
    meta.batch([revokeGrants(meta, ['grant'], 1), forgetConsentOf(meta, { id: 'grant' })]),
  "a user's grants end": (meta) => meta.batch(endGrantsOf(meta, 'ann', 1)),
  "an application's grants end": (meta) => meta.batch(endGrantsOfClient(meta, 'shop', 1)),
}

describe('what a statement about grants costs', () => {
  for (const [act, perform] of Object.entries(ACTS))
    it(`does not grow with the active grants of other users on an embedded store: ${act}`, async () => {
      const { meta, plansOf } = await watchedMeta()

      const plans = await plansOf(() => perform(meta))

      assert.ok(plans.some((step) => step.includes('api_grant')))
      assert.deepEqual(plans.filter(goesThroughLivingGrants), [])
    })

  it('does not grow with the active grants on an embedded store: ended ones are deleted', async () => {
    const { meta, plansOf } = await watchedMeta()

    const plans = await plansOf(() =>
      deleteEnded(meta, 3, { grantsBefore: 1, unlistedBefore: 2, tokensSince: 1 }, deleteActsOf),
    )

    assert.ok(plans.some((step) => step.includes('api_grant_expires')))
    assert.ok(plans.every((step) => !step.startsWith('SCAN')))
  })

  it('does not grow once ANALYZE has seen few grants: a token for a service', async () => {
    const { meta, plansOf } = await watchedMeta()
    await sawFewGrants(meta)

    const plans = await plansOf(() => insertServiceToken(meta, client, SERVICE))

    assert.ok(plans.some((step) => step.includes('api_grant_client')))
    assert.deepEqual(plans.filter(goesThroughLivingGrants), [])
  })
})

/** Writes the statistics of `ANALYZE` for 32 grants of one application. */
async function sawFewGrants(meta: Meta): Promise<void> {
  await sql`analyze`.execute(meta)
  await sql`delete from sqlite_stat1`.execute(meta)
  await sql`insert into sqlite_stat1 (tbl, idx, stat) values
    ('api_grant', 'sqlite_autoindex_api_grant_1', '32 1'), ('api_grant', 'api_grant_client', '32 32 32'),
    ('api_grant', 'api_grant_user', '32 1 1'), ('api_grant', 'api_grant_expires', '32 32'),
    ('api_grant', 'api_grant_revoked', '32 32')`.execute(meta)
  await sql`analyze sqlite_schema`.execute(meta)
}

function goesThroughLivingGrants(step: string): boolean {
  return /^SCAN api_grant\b/.test(step) || step.includes('api_grant_revoked')
}
