import assert from 'node:assert/strict'
import { it } from 'vitest'
import { type Cost, trace } from './tracing.ts'

/** Round trips to stores, and files below `src/features`, at most. Lower a figure when its act gets cheaper. */
const AT_MOST: Readonly<Record<string, { readonly trips: number; readonly features: number }>> = {
  'check a session': { trips: 1, features: 7 },
  'list notifications': { trips: 2, features: 8 },
  'submit feedback': { trips: 2, features: 14 },
  'sign up': { trips: 4, features: 20 },
  'sign in': { trips: 5, features: 19 },
  'sign in, first of two steps': { trips: 5, features: 16 },
  'second step': { trips: 4, features: 18 },
  'send a code': { trips: 4, features: 14 },
  'verify a code': { trips: 3, features: 19 },
  'redeem a code': { trips: 2, features: 24 },
  refresh: { trips: 2, features: 18 },
  'redeem a device code': { trips: 2, features: 23 },
  'wait for approval': { trips: 2, features: 18 },
  'approve and carry out': { trips: 5, features: 20 },
  'publish a notification': { trips: 2, features: 11 },
  'save settings': { trips: 2, features: 14 },
  'search users': { trips: 4, features: 12 },
  export: { trips: 7, features: 22 },
  'move a user': { trips: 25, features: 12 },
  'deliver a webhook': { trips: 6, features: 12 },
}

it('no act takes more round trips, or runs through more files, than it did', async () => {
  const costs = await trace()

  const grown = costs.filter((cost) => isMore(cost, AT_MOST[cost.act]))
  assert.deepEqual(grown, [])
  assert.deepEqual(costs.map(({ act }) => act).toSorted(), Object.keys(AT_MOST).toSorted())
})

function isMore({ trips, features }: Cost, most: (typeof AT_MOST)[string] | undefined): boolean {
  return most === undefined || trips > most.trips || features > most.features
}
