import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { freshDatabase, testServer, withClient } from '../../../test/postgres/databases.ts'
import { Commits } from './commits.ts'
import { PgConnection } from './pg-connection.ts'

describe('a long transaction on the primary', () => {
  it('delays a reader by twenty milliseconds, and only once', async () => {
    await using server = await serverWithTransaction('in this database')
    const clock = clockOfLooks()
    const commits = new Commits(clock.now)

    await commits.awaitVisible(server.connection)
    const first = clock.looks()
    await commits.awaitVisible(server.connection)

    assert.ok(first >= 20 && first <= 22, `${first} ms`)
    assert.equal(clock.looks() - first, 1)
  })

  it('does not delay another database of the same server', async () => {
    await using server = await serverWithTransaction('in another database')
    const clock = clockOfLooks()
    const commits = new Commits(clock.now)

    await commits.awaitVisible(server.connection)

    assert.equal(clock.looks(), 1)
  })
})

/** Each call lets one millisecond pass. */
function clockOfLooks() {
  let milliseconds = 0
  return { now: () => milliseconds++, looks: () => milliseconds }
}

async function serverWithTransaction(where: 'in this database' | 'in another database') {
  await using opening = new AsyncDisposableStack()
  const server = await testServer()
  opening.defer(() => server.stop())
  const database = await freshDatabase(server.url)
  opening.defer(() => database.drop())
  const connection = await PgConnection.open({
    url: database.url,
    role: 'primary',
    now: () => 0,
    onEnd: () => undefined,
  })
  opening.defer(() => connection.close())
  const done = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const transaction = withClient(where === 'in this database' ? database.url : server.url, async (client) => {
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
