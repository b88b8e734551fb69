import assert from 'node:assert/strict'
import { DefaultQueryCompiler, type QueryId, type RootOperationNode } from 'kysely'
import { afterAll, beforeAll, describe } from 'vitest'
import { submitted } from '../../../../test/service/feedback.ts'
import { it } from '../../../../test/service/it.ts'
import { AWAY, HOME } from '../../../../test/service/stores/shard-moves.ts'
import { SHARD_TABLES } from '../../../operator/transfer/tables.ts'
import { grantCredits } from '../../operations/credits/credits.ts'
import { moveUser } from '../moves/moving.ts'
import { getShard } from './shards.ts'

/** What the planner of Citus refuses. */
const REFUSED = [
  ['a simple case', /\bcase\s+(?!when\b)\S+\s+when\b/i],
  ['a sub-select inside values', /\bvalues\b(?:(?! on conflict ).)*\(\s*select\b/is],
  ['a sub-select in on conflict do update', /\bdo update set\b[^;]*\(\s*select\b/i],
] as const

const compiled = new Set<string>()
const { compileQuery } = DefaultQueryCompiler.prototype

beforeAll(() => {
  DefaultQueryCompiler.prototype.compileQuery = function (node: RootOperationNode, id: QueryId) {
    const query = compileQuery.call(this, node, id)
    compiled.add(query.sql)
    return query
  }
})

afterAll(() => {
  DefaultQueryCompiler.prototype.compileQuery = compileQuery
})

function ofShards(): readonly string[] {
  const names = new RegExp(`"(?:${SHARD_TABLES.map(({ table }) => table).join('|')})"`)
  return [...compiled].filter((sql) => names.test(sql))
}

function refusedAmong(statements: readonly string[]) {
  return statements.flatMap((sql) =>
    REFUSED.flatMap(([form, pattern]) => (pattern.test(sql) ? [`${form}: ${sql}`] : [])),
  )
}

describe('statements of a shard', () => {
  it('have none of the forms that Citus refuses, in a journey through everything a shard keeps', async ({
    service,
    administrator,
    ann,
  }) => {
    const id = await submitted(ann, 'one')
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'two' }, { 'idempotency-key': 'a key' })
    await administrator.post('/api/admin/update_feedback', { id, status: 'done', reply: 'Thanks' })
    await grantCredits(service.platform, getShard(service.platform, HOME), ann.id, 7, { type: 'prize', id: '1' })
    await ann.post('/api/read_notification', { id: 'a-notification' })
    await ann.post('/api/mark_all_notifications_read')
    assert.equal(await moveUser(service.platform, ann.id, AWAY), 'moved')
    await ann.post('/api/auth/delete-user', { password: ann.password })

    const statements = ofShards()

    assert.ok(statements.length > 25, `only ${statements.length} statements were seen`)
    for (const { table } of SHARD_TABLES)
      assert.ok(
        statements.some((sql) => sql.includes(`insert into "${table}"`)),
        table,
      )
    assert.deepEqual(refusedAmong(statements), [])
  })

  it('are found in each of these forms', () => {
    const statements = [
      'update "residents" set "state" = case state when \'arriving\' then \'open\' end',
      'insert into "credit_entries" ("id", "balance_after") values ($1, (select "balance" from "credit_balance"))',
      'insert into "feedback_counts" values ($1) on conflict do update set "bytes" = coalesce(bytes, (select 1))',
      'update "residents" set "writes" = case when state = \'open\' then 1 end',
    ]

    assert.equal(refusedAmong(statements).length, 3)
  })
})
