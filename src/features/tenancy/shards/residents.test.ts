import assert from 'node:assert/strict'
import type { Kysely } from 'kysely'
import { describe } from 'vitest'
import { it as withService } from '../../../../test/service/it.ts'
import { prepared } from '../../../database/prepared.ts'
import type { ShardTables } from '../../../database/schema/tables.ts'
import type { Shard } from '../../../database/store.ts'
import { stepOfMove } from './holding.ts'
import { decideAs } from './residents.ts'
import { getShard } from './shards.ts'

const it = withService.extend<{ shard: Shard }>({
  shard: async ({ service }, use) => use(getShard(service.platform, 'apac-1')),
})

describe('a write into a shard', () => {
  it('is refused as unavailable by the state of the user, and leaves nothing', async ({ service, shard, ann }) => {
    await stepOfMove(shard, { userId: ann.id, attempt: 1 }, 'hold')
    const writes = () => shard.selectFrom('residents').select('writes').where('user_id', '=', ann.id).execute()
    const before = await writes()

    const insert = shard.insertInto('credit_balance').values({ user_id: 'somebody', balance: 1 }).returning('balance')
    const write = decideAs(service, shard, ann.id, [insert], async (act) => act.write(insert))

    await assert.rejects(write, { name: 'StoreUnavailable' })
    const balances = shard.selectFrom('credit_balance').select('user_id')
    assert.deepEqual(await balances.where('user_id', '=', 'somebody').execute(), [])
    assert.deepEqual(await writes(), before)
  })

  it('with a value that nothing is bound to is an error', async ({ service, shard, ann }) => {
    const insert = prepared({ balance: 0 }, (db: Kysely<ShardTables>, { balance }) =>
      db.insertInto('credit_balance').values({ user_id: 'somebody', balance }),
    )

    const write = decideAs(service, shard, ann.id, [], async (act) =>
      act.write(insert(shard, {} as { balance: number })),
    )

    await assert.rejects(write, TypeError)
  })
})
