import type { Meta } from '../../../database/store.ts'
import * as store from './store.ts'

/** Rows of the shards that are copies at one moment, because of running moves. */
export interface Copies {
  /** The users whose rows in this shard are a copy, since they are at home elsewhere. */
  in(shardId: string): readonly string[]
  /** Changes whenever a move begins or switches. Random, so that it never repeats. */
  readonly moment: string
}

export async function copiesUnderWay(meta: Meta): Promise<Copies> {
  const [moves, [kept]] = await meta.snapshot([store.movesWithHomes(meta), store.moment(meta)], 'primary')
  return {
    in: (shardId) =>
      moves
        .filter(({ home, from_shard, to_shard }) => shardId === (home === to_shard ? from_shard : to_shard))
        .map(({ user_id }) => user_id),
    moment: kept?.value ?? '',
  }
}
