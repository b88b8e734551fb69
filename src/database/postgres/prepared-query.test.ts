import assert from 'node:assert/strict'
import pg from 'pg'
import { describe, it, vi } from 'vitest'
import { forgetStatement, PreparedQueries, PreparedQuery, type PreparedStatement } from './prepared-query.ts'

const ROW_DESCRIPTION = { fields: [{ name: 'n', dataTypeID: 25, format: 'text' }] }

/** Records what the query sends. */
function wire() {
  const sent: unknown[] = []
  const note = (name: string) => (message?: unknown) => void sent.push([name, message])
  const methods = ['parse', 'bind', 'describe', 'execute', 'sync', 'flush'] as const
  return { sent, parsedStatements: {}, ...Object.fromEntries(methods.map((name) => [name, note(name)])) }
}

describe('pg’s private query, which a prepared statement depends on', () => {
  it('keeps the described columns, and reads rows with them when they are put back', () => {
    const statement: PreparedStatement = { name: 's1', columns: undefined }
    const query = () => new PreparedQuery({ text: 'select $1 as n', values: ['a'] }, statement, () => {})

    query().handleRowDescription(ROW_DESCRIPTION)
    assert.deepEqual(Object.keys(statement.columns ?? {}), ['fields', '_parsers', '_prebuiltEmptyResultObject'])
    for (const part of Object.values(statement.columns ?? {})) assert.notEqual(part, undefined)

    const second = query()
    const { sent, ...connection } = wire()
    second.prepare(connection as unknown as Parameters<typeof second.prepare>[0])
    Reflect.get(second, 'handleDataRow').call(second, { fields: ['a'] })
    assert.deepEqual(sent, [
      ['bind', { statement: 's1', values: ['a'] }],
      ['execute', undefined],
      ['sync', undefined],
    ])
    assert.deepEqual(Reflect.get(Reflect.get(second, '_result'), 'rows'), [{ n: 'a' }])
  })

  it('sends several with one sync, and after one fails the others fail with it', () => {
    const outcomes: unknown[] = []
    const statement = (name: string) => ({ text: '', values: [], known: { name, columns: 'none' as const } })
    const { sent, ...connection } = wire()
    const statements = ['s1', 's2', 's3'].map(statement)
    const queries = new PreparedQueries(statements, (error, results) => outcomes.push(error?.message, results))
    queries.prepare(connection as unknown as Parameters<typeof queries.prepare>[0])
    queries.handleCommandComplete({ text: 'BEGIN' }, connection as unknown as pg.Connection)
    queries.handleError(new Error('taken'))

    const bound = (statement: string) => [
      ['bind', { statement, values: [] }],
      ['execute', undefined],
    ]
    assert.deepEqual(sent, [...['s1', 's2', 's3'].flatMap(bound), ['sync', undefined]])
    assert.deepEqual(outcomes, ['taken', []])
  })

  it('has done several only once the server is ready: until then their commit can fail', () => {
    const outcomes: unknown[] = []
    const run = () => {
      const statement = { text: '', values: [], known: { name: 's1', columns: 'none' as const } }
      return new PreparedQueries([statement], (error, results) => outcomes.push(error?.message ?? results.length))
    }
    const connection = wire() as unknown as pg.Connection
    const [failed, committed] = [run(), run()]
    for (const queries of [failed, committed]) queries.handleCommandComplete({ text: 'INSERT 0 1' }, connection)
    assert.deepEqual(outcomes, [])

    failed.handleError(new Error('refused at commit'))
    committed.handleReadyForQuery(connection)

    assert.deepEqual(outcomes, ['refused at commit', 1])
  })

  it('stops the timer that the driver starts for a `query_timeout`, which would end the connection', () => {
    vi.useFakeTimers()
    try {
      const client = new pg.Client({ query_timeout: 60_000, pipeline: true })
      const statement = { text: '', values: [], known: { name: 's1', columns: 'none' as const } }
      const outcomes: unknown[] = []
      const run = () => client.query(new PreparedQueries([statement], (error) => outcomes.push(error)))
      const [failed, committed] = [run(), run()]
      assert.equal(vi.getTimerCount(), 2)

      failed.handleError(new Error('taken'))
      committed.handleReadyForQuery(wire() as unknown as pg.Connection)

      assert.deepEqual([vi.getTimerCount(), outcomes], [0, [new Error('taken'), null]])
    } finally {
      vi.useRealTimers()
    }
  })

  it('parses a name once, and again after it was forgotten', () => {
    const connection = { ...wire(), parsedStatements: { s1: 'select $1 as n' }, submittedNamedStatements: {} }
    const client = { connection, query: async () => undefined }
    const parsed = () => {
      connection.sent.length = 0
      const statement: PreparedStatement = { name: 's1', columns: undefined }
      const query = new PreparedQuery({ text: 'select $1 as n', values: ['a'] }, statement, () => {})
      query.prepare(connection as unknown as Parameters<typeof query.prepare>[0])
      return connection.sent.some((message) => Array.isArray(message) && message[0] === 'parse')
    }

    const before = parsed()
    forgetStatement(client as unknown as pg.Client, 's1')

    assert.deepEqual([before, parsed()], [false, true])
  })
})
