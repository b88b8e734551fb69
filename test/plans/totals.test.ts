import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import type { Meta } from '../../src/database/store.ts'
import { listAuditEntries } from '../../src/features/audit/log.ts'
import { visiblePage } from '../../src/features/notifications/store.ts'
import { countUsers, signUpsByDay } from '../../src/features/users/statements.ts'
import { listUsers } from '../../src/features/users/users.ts'
import { watchedMeta } from './watched-engine.ts'

const PAGE = { order: 'newest', page: 1, page_size: 20 } as const

const LISTS: Readonly<Record<string, (meta: Meta) => Promise<unknown>>> = {
  'the audit log': (meta) => listAuditEntries(meta, PAGE),
  'the audit log of an action': (meta) => listAuditEntries(meta, { ...PAGE, action: 'user.sign_in' }),
  'all users': (meta) => listUsers(meta, PAGE),
  'all users by address': (meta) => listUsers(meta, { ...PAGE, order: 'email' }),
  'the overview': (meta) => meta.snapshot([countUsers(meta), signUpsByDay(meta, [20_000])]),
}

describe('a total', () => {
  for (const [what, list] of Object.entries(LISTS))
    it(`is read from counters, not from the rows: ${what}`, async () => {
      const { meta, plansOf } = await watchedMeta()

      const plans = await plansOf(() => list(meta))

      assert.ok(plans.some((step) => step.startsWith('SEARCH row_counts USING')))
      // Only a count is content with an index: a page needs the rows.
      assert.deepEqual(
        plans.filter((step) => /\b(event|user) USING COVERING INDEX/.test(step)),
        [],
      )
    })

  it('of notifications counts only those for the caller alone, and has a counter for the others', async () => {
    const { meta, plansOf } = await watchedMeta()

    const plans = await plansOf(() => visiblePage(meta, 'ann', {}, { offset: 0, limit: 20 }))

    assert.ok(plans.some((step) => step.startsWith('SEARCH row_counts USING')))
    assert.equal(plans.filter((step) => step.includes('notifications USING COVERING INDEX')).length, 1)
  })
})
