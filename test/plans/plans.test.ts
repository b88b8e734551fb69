import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import type { Meta } from '../../src/database/store.ts'
import type { ListAuditEntries } from '../../src/features/ground/audit/input.ts'
import { listAuditEntries, signInsOf } from '../../src/features/ground/audit/log.ts'
import { auditEntriesAfter } from '../../src/features/ground/events/audited-statements.ts'
import { visiblePage } from '../../src/features/operations/notifications/store.ts'
import { deleteUnprovenFactors } from '../../src/features/people/account/statements.ts'
import { listOrganizationsFor } from '../../src/features/people/organizations/administration/reading.ts'
import { membersOf } from '../../src/features/people/organizations/reading.ts'
import { listUsersWithShards } from '../../src/features/people/user-data/user-data.ts'
import type { ListUsers } from '../../src/features/people/users/input.ts'
import { countUsers, signUpsByDay } from '../../src/features/people/users/statements.ts'
import { hmacSigner } from '../../src/platform/secrets/signer.ts'
import { watchedMeta } from './watched-engine.ts'

const config = readConfig({})

const listUsers = (meta: Meta, filter: ListUsers) => listUsersWithShards({ meta, config }, filter)

const PAGE = { order: 'newest', page: 1, page_size: 20 } as const

const log = (meta: Meta, filter: ListAuditEntries) => listAuditEntries({ meta, signer: hmacSigner('') }, filter)

type Act = readonly [what: string, act: (meta: Meta) => Promise<unknown>]

const LISTS: readonly Act[] = [
  ['the audit log', (meta) => log(meta, PAGE)],
  ['the audit log of an action', (meta) => log(meta, { ...PAGE, action: 'user.sign_in' })],
  ['all users', (meta) => listUsers(meta, PAGE)],
  ['all users by address', (meta) => listUsers(meta, { ...PAGE, order: 'email' })],
  ['the overview', (meta) => meta.snapshot([countUsers(meta), signUpsByDay(meta, [20_000])])],
]

const FILTERED: readonly Act[] = [
  ...(['active', 'unverified', 'suspended'] as const).map(
    (status): Act => [`users that are ${status}`, (meta) => listUsers(meta, { ...PAGE, status })],
  ),
  ...(['none', 'app', 'passkey'] as const).map(
    (factor): Act => [`users by factor: ${factor}`, (meta) => listUsers(meta, { ...PAGE, factor })],
  ),
]

const OF_ONE_USER: readonly Act[] = [
  [
    'what is exported of the audit log',
    (meta) => auditEntriesAfter(meta, 'ann', { created_at: 1, id: 'a' }, 250).execute(),
  ],
  ['the latest sign-ins', (meta) => signInsOf(meta, 'ann')],
  ['the audit log about the user', (meta) => log(meta, { ...PAGE, user_id: 'ann' })],
  ['the audit log of what the user did', (meta) => log(meta, { ...PAGE, actor_id: 'ann' })],
  [
    'factors from before the address was proven are deleted',
    (meta) => meta.batch(deleteUnprovenFactors(meta, { id: 'ann', email_proven_at: null }, 0)),
  ],
]

describe('a total', () => {
  it.for(LISTS)('is read from counters, not from the rows: %s', async ([, list]) => {
    const plans = await plansOf(list)

    assert.ok(plans.some((step) => step.startsWith('SEARCH row_counts USING')))
    // An index is enough for a count only: a page needs the rows.
    const counts = plans.filter((step) => /\b(event|user) USING COVERING INDEX/.test(step))
    assert.deepEqual(counts, [])
  })

  it.for(FILTERED)('that needs counting is counted in an index: %s', async ([, list]) => {
    const plans = await plansOf(list)

    assert.ok(plans.some((step) => step.includes('user USING COVERING INDEX')))
    assert.deepEqual(
      plans.filter((step) => /^SCAN user$/.test(step)),
      [],
    )
  })

  it('of notifications counts only those for the caller alone, and has a counter for the others', async () => {
    const plans = await plansOf((meta) => visiblePage(meta, 'ann', {}, { offset: 0, limit: 20 }))

    assert.ok(plans.some((step) => step.startsWith('SEARCH row_counts USING')))
    assert.equal(plans.filter((step) => step.includes('notifications USING COVERING INDEX')).length, 1)
  })
})

describe('a search among users', () => {
  it.for(['ann', 'smith ann@example.com', 'an', '王'])('reads those that the index names: %s', async (search) => {
    for (const list of [
      (meta: Meta) => listUsers(meta, { ...PAGE, search }),
      (meta: Meta) => log(meta, { ...PAGE, search }),
    ]) {
      const plans = await plansOf(list)

      assert.ok(
        plans.some((step) => /^SCAN user_grams VIRTUAL TABLE INDEX \d+:M/.test(step)),
        plans.join('\n'),
      )
      assert.deepEqual(
        plans.filter((step) => /^SCAN (user|event)\b|^SCAN searched( USING COVERING|$)/.test(step)),
        [],
      )
    }
  })
})

const MEMBERS = { search: '', direction: 'asc', offset: 0, limit: 20 } as const

const membersWith = (wished: object) => (meta: Meta) =>
  membersOf({ meta }, { id: 'acme', members: 10 }, { ...MEMBERS, ...wished })

/** The plans of everything but the page itself, which is found by the ids. */
const IN_ORGANIZATION = [
  ['a page', membersWith({ offset: 1_000 }), /^SEARCH member USING COVERING INDEX member_oldest/],
  ['a role', membersWith({ role: 'owner' }), /^SEARCH member_role USING (COVERING INDEX|PRIMARY KEY)/],
  ['a search', membersWith({ search: 'ann' }), /^SEARCH member USING PRIMARY KEY \(user_id=\?\)/],
  [
    'a search for organisations',
    (meta: Meta) => listOrganizationsFor({ meta }, { page: 1, page_size: 20, search: 'acme' }),
    /^SCAN organization_grams VIRTUAL TABLE INDEX \d+:M/,
  ],
] as const

describe('what is read of organisations', () => {
  it.for(IN_ORGANIZATION)('has its index: %s', async ([, list, step]) => {
    const plans = await plansOf(list)

    assert.ok(
      plans.some((each) => step.test(each)),
      plans.join('\n'),
    )
    const whole = /^SCAN (organization|member_role|user)( |$)|^SEARCH member USING INDEX member_oldest/
    const strays = plans.filter((each) => whole.test(each))
    assert.deepEqual(strays, [])
  })
})

describe('what is read of one user', () => {
  it.for(OF_ONE_USER)('does not grow with what others have on an embedded store: %s', async ([, act]) => {
    const plans = await plansOf(act)

    assert.ok(plans.some((step) => /\b(event|passkey)\b/.test(step)))
    assert.deepEqual(plans.filter(goesThroughEverybodys), [])
  })
})

/** The steps that an embedded database takes for it. */
async function plansOf(act: Act[1]): Promise<readonly string[]> {
  const watched = await watchedMeta()
  return watched.plansOf(() => act(watched.meta))
}

function goesThroughEverybodys(step: string): boolean {
  return /^SCAN (event|passkey|totp_factor|user)\b/.test(step) || step.includes('event_action')
}
