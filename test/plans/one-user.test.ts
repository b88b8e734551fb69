import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import type { Meta } from '../../src/database/store.ts'
import { auditEntriesOf, listAuditEntries, signInsOf } from '../../src/features/audit/log.ts'
import { deleteUnprovenFactors } from '../../src/features/factors/statements.ts'
import { userIds } from '../../src/features/users/statements.ts'
import { watchedMeta } from './watched-engine.ts'

const PAGE = { order: 'newest', page: 1, page_size: 20 } as const

const ACTS: Readonly<Record<string, (meta: Meta) => Promise<unknown>>> = {
  'what is exported of the audit log': (meta) => auditEntriesOf(meta, 'ann'),
  'the latest sign-ins': (meta) => signInsOf(meta, 'ann'),
  'the audit log about the user': (meta) => listAuditEntries(meta, { ...PAGE, concerning: 'ann' }),
  'the audit log of what the user did': (meta) => listAuditEntries(meta, { ...PAGE, actor_id: 'ann' }),
  'factors from before the address was proven are deleted': (meta) =>
    meta.batch(deleteUnprovenFactors(meta, userIds(meta).where('user.email', '=', 'ann@example.com'), 0)),
}

describe('what is read of one user', () => {
  for (const [what, act] of Object.entries(ACTS))
    it(`does not grow with what others have on an embedded store: ${what}`, async () => {
      const { meta, plansOf } = await watchedMeta()

      const plans = await plansOf(() => act(meta))

      assert.ok(plans.some((step) => /\b(event|passkey)\b/.test(step)))
      assert.deepEqual(plans.filter(goesThroughEverybodys), [])
    })
})

function goesThroughEverybodys(step: string): boolean {
  return /^SCAN (event|passkey|totp_factor|user)\b/.test(step) || step.includes('event_action')
}
