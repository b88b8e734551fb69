import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Compilable, sql } from 'kysely'
import { it } from 'vitest'
import { Dice } from '../../../test/chaos/dice.ts'
import { temporaryFolder } from '../../../test/service/temporary-folder.ts'
import { Store } from '../store.ts'
import { SqliteEngine } from './engine.ts'

const ROUNDS = 300
const IDS = ['a', 'b', 'c', 'd', 'e']
/** Stored, and too large to be read as a number. */
const UNREADABLE = 2 ** 60

interface Tables {
  item: { id: string; amount: number }
}

type Step = {
  readonly does: 'insert' | 'add' | 'drop' | 'lower all' | 'read'
  readonly id: string
  readonly by: number
}

interface Write {
  readonly as: 'statement' | 'batch' | 'decision'
  readonly steps: readonly Step[]
  /** How many of a decision's steps are sent before its last writes. */
  readonly sent: number
  readonly isRefused: boolean
  readonly isInNextTurn: boolean
}

it('writes that share commits leave and return what each would by itself, whichever of them fail', async () => {
  const dice = new Dice('shared commits')
  const [together, alone] = await Promise.all(['together', 'alone'].map(openItems))
  assert.ok(together && alone)
  for (let round = 0; round < ROUNDS; round++) {
    const writes = Array.from({ length: 1 + dice.below(7) }, () => writeOf(dice))
    const expected: string[] = []
    for (const write of writes) expected.push(await outcomeOf(run(alone, write)))
    const outcomes: Promise<string>[] = []
    for (const write of writes) {
      if (write.isInNextTurn) await nextTurn()
      outcomes.push(outcomeOf(run(together, write)))
    }
    const round_ = `round ${round}: ${JSON.stringify(writes)}`

    assert.deepEqual(await Promise.all(outcomes), expected, round_)
    assert.deepEqual(await contentOf(together), await contentOf(alone), round_)
    await Promise.all([together, alone].map((store) => store.updateTable('item').set({ amount: 3 }).execute()))
  }
  await Promise.all([together.close(), alone.close()])
})

it('a decision returns what its kept run has written', async () => {
  const store = await openItems('kept run')
  let runs = 0
  const numbered = (id: string) =>
    store.decide([], async (decision) => {
      const amount = ++runs
      decision.write(store.insertInto('item').values({ id, amount }))
      return amount
    })
  const insert = (id: string) => store.insertInto('item').values({ id, amount: 0 })

  const [first, failed, last] = await Promise.allSettled([
    numbered('first'),
    store.batch([insert('twice'), insert('twice')]),
    numbered('last'),
  ])
  const kept = await store.selectFrom('item').select(['id', 'amount']).orderBy('amount').execute()
  await store.close()

  assert.equal(failed.status, 'rejected')
  assert.deepEqual(
    [first, last].map((outcome) => outcome.status === 'fulfilled' && outcome.value),
    kept.map(({ amount }) => amount),
  )
  assert.deepEqual(
    kept.map(({ id }) => id),
    ['first', 'last'],
  )
})

it('a write by itself runs once, even if it fails half done', async () => {
  const store = await openItems('once')
  let runs = 0
  const refused = store.decide([], async (decision) => {
    runs++
    await decision.read([store.insertInto('item').values({ id: 'a', amount: 1 })])
    throw new RangeError('refused')
  })

  await assert.rejects(refused, RangeError)
  assert.deepEqual([runs, await contentOf(store)], [1, []])
  await store.close()
})

async function openItems(name: string): Promise<Store<Tables>> {
  const store = new Store<Tables>(new SqliteEngine('items', join(temporaryFolder(), `${name}.sqlite`)))
  await sql`create table item (id text primary key, amount integer not null check (amount > 0 or id = 'a')) strict`.execute(
    store,
  )
  return store
}

function writeOf(dice: Dice): Write {
  const steps = Array.from({ length: 1 + dice.below(4) }, () => stepOf(dice))
  return {
    as: dice.weighed({ statement: 1, batch: 2, decision: 3 }),
    steps,
    sent: dice.below(steps.length + 1),
    isRefused: dice.chance(0.2),
    isInNextTurn: dice.chance(0.2),
  }
}

function stepOf(dice: Dice): Step {
  return {
    does: dice.weighed({ insert: 5, add: 4, drop: 2, 'lower all': 1, read: 1 }),
    id: dice.oneOf(IDS) ?? '',
    by: dice.chance(0.1) ? UNREADABLE : dice.below(5) - 2,
  }
}

async function run(store: Store<Tables>, { as, steps, sent, isRefused }: Write): Promise<unknown> {
  const statements = steps.map((step) => statementOf(store, step))
  const [only] = statements
  if (as === 'statement' && only) return store.batch([only]).then((rows) => rows.of(only))
  if (as === 'batch') {
    const rows = await store.batch(statements)
    return statements.map((statement) => rows.of(statement))
  }
  return store.decide([store.selectFrom('item').select('id').orderBy('id')], async (decision, known) => {
    const read = await decision.read(statements.slice(0, sent))
    decision.write(...statements.slice(sent))
    if (isRefused) throw new RangeError(`refused with ${known.length}`)
    return { known, read }
  })
}

function statementOf(store: Store<Tables>, { does, id, by }: Step): Compilable<unknown> {
  if (does === 'insert') return store.insertInto('item').values({ id, amount: by }).returning('amount')
  if (does === 'drop') return store.deleteFrom('item').where('id', '=', id)
  if (does === 'read') return store.selectFrom('item').select('id').orderBy('id')
  const added = store.updateTable('item').set((eb) => ({ amount: eb('amount', '+', does === 'add' ? by : -1) }))
  return does === 'add' ? added.where('id', '=', id).returning('amount') : added
}

function outcomeOf(outcome: Promise<unknown>): Promise<string> {
  return outcome.then(
    (value) => JSON.stringify(value),
    (error) => `${error.name}: ${error.message}`,
  )
}

/** As text, because some amounts cannot be read as numbers. */
async function contentOf(store: Store<Tables>): Promise<readonly string[]> {
  const items = store.selectFrom('item').select(sql<string>`id || ' ' || amount`.as('text')).orderBy('id')
  return (await items.execute()).map(({ text }) => text)
}
