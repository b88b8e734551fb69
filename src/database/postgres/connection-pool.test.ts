import assert from 'node:assert/strict'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { freshDatabase, testServer } from '../../../test/postgres/databases.ts'
import { Store, StoreUnavailable } from '../store.ts'
import { PostgresEngine } from './engine.ts'

let server: Awaited<ReturnType<typeof testServer>>
let database: Awaited<ReturnType<typeof freshDatabase>>

beforeAll(async () => {
  server = await testServer()
  database = await freshDatabase(server.url)
})

afterAll(async () => {
  await database.drop()
  await server.stop()
})

/** How many statements one connection takes before it is full. */
const FULL = 200

describe('a burst of statements while only one connection is open', () => {
  it('waits for the connections that are being opened', async () => {
    await using store = await storeWithOneOpen(10)

    const outcomes = await burst(3 * FULL, store)

    assert.deepEqual(outcomes, { done: 3 * FULL, refused: 0 })
  })

  it('is refused beyond what that connection takes, if it is the only one there will be', async () => {
    await using store = await storeWithOneOpen(1)

    const outcomes = await burst(3 * FULL, store)

    assert.deepEqual(outcomes, { done: FULL, refused: 2 * FULL })
  })

  it('is refused beyond what all the connections take', async () => {
    await using store = await storeWithOneOpen(2)

    const outcomes = await burst(3 * FULL, store)

    assert.deepEqual(outcomes, { done: 2 * FULL, refused: FULL })
  })
})

async function storeWithOneOpen(connections: number) {
  const store = new Store<object>(new PostgresEngine('meta', { url: database.url, connections }))
  await store.executeQuery(STATEMENT)
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() })
}

/** Compiled before, so that the turn of a burst is shorter than a connection has for opening, on a busy machine too. */
const STATEMENT = CompiledQuery.raw('select 1')

/** All within one turn of the event loop, so that no connection opens meanwhile. */
async function burst(count: number, store: Store<object>) {
  const running: Promise<unknown>[] = []
  for (let i = 0; i < count; i++) {
    running.push(store.executeQuery(STATEMENT))
    for (let step = 0; step < STEPS_UNTIL_SENT; step++) await undefined
  }
  const outcomes = await Promise.allSettled(running)
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  for (const { reason } of refused) assert.ok(reason instanceof StoreUnavailable)
  return { done: outcomes.length - refused.length, refused: refused.length }
}

const STEPS_UNTIL_SENT = 30
