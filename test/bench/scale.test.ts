import assert from 'node:assert/strict'
import { it } from 'vitest'
import { fillStores, listingOver } from '../../bench/measures/scale/scale.ts'
import { freshDatabase, testServer } from '../postgres/databases.ts'

it('the measure of many shards lists the feedback of each', async () => {
  const server = await testServer()
  const database = await freshDatabase(server.url)
  await fillStores(database.url)

  const { median } = await listingOver(database.url, 3)

  assert.ok(median > 0)
  await database.drop()
  await server.stop()
})
