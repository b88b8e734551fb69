import assert from 'node:assert/strict'
import { CompiledQuery } from 'kysely'
import { it } from '../../../test/service/databases.ts'
import { Store, StoreUnavailable } from '../store.ts'
import { PostgresEngine } from './engine.ts'

/** How many statements one connection takes before it is full. */
const FULL = 200

it.for([
  ['waits for the connections that are being opened', 10, { done: 3 * FULL, refused: 0 }],
  ['is refused beyond what that one takes, if there will be no other', 1, { done: FULL, refused: 2 * FULL }],
  ['is refused beyond what all the connections take', 2, { done: 2 * FULL, refused: FULL }],
] as const)(
  'a burst of statements while only one connection is open %s',
  async ([, connections, expected], { database }) => {
    await using store = await storeWithOneOpen(database.url, connections)

    assert.deepEqual(await burst(3 * FULL, store), expected)
  },
)

async function storeWithOneOpen(url: string, connections: number) {
  const store = new Store<object>(new PostgresEngine('meta', { url, connections }))
  await store.executeQuery(STATEMENT)
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() })
}

/**
 * Compiled beforehand: on a busy machine too, the turn of a burst must be shorter than the time a connection has to
 * open.
 */
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
