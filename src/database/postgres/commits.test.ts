import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testServer, withClient } from '../../../test/postgres/databases.ts'
import { Commits } from './commits.ts'
import { PgConnection } from './pg-connection.ts'

describe('a long transaction on the primary', () => {
  it('holds up a reader for twenty milliseconds, and only once', async () => {
    await using server = await serverWithTransaction()
    // A millisecond passes each time somebody looks, and at no other time.
    let milliseconds = 0
    const commits = new Commits(() => milliseconds++)

    await commits.show(server.connection)
    const first = milliseconds
    await commits.show(server.connection)

    assert.ok(first >= 20 && first <= 22, `${first} ms`)
    assert.equal(milliseconds - first, 1)
  })
})

async function serverWithTransaction() {
  await using opening = new AsyncDisposableStack()
  const server = await testServer()
  opening.defer(() => server.stop())
  const connection = await PgConnection.open({
    url: server.url,
    role: 'primary',
    now: () => 0,
    onEnd: () => undefined,
  })
  opening.defer(() => connection.close())
  const done = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const transaction = withClient(server.url, async (client) => {
    await client.query('begin')
    await client.query('select pg_current_xact_id()')
    begun.resolve()
    await done.promise
  })
  opening.defer(async () => {
    done.resolve()
    await transaction
  })
  await begun.promise
  const opened = opening.move()
  return { connection, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
