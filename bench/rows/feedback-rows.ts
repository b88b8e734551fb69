import { v7 as newId } from 'uuid'
import { Closing, type Folder, userId } from '../ours.ts'

const SHARDS = ['apac-1', 'weur-1', 'oc-1'] as const
const TYPES = ['bug', 'idea', 'praise', 'question'] as const
const START = 1_700_000_000_000
const AUTHORS = 1_000

/** The same number of rows in each shard, newest last, with the counters that submitting keeps. */
export function insertFeedbacks(folder: Folder, rowsInShard: number): void {
  for (const name of SHARDS) {
    using shard = new Closing(folder.open(name))
    const row = shard.prepare(
      `insert into feedbacks (id, user_id, type, content, status, note, created_at, updated_at)
       values (?, ?, ?, ?, 'new', '', ?, ?)`,
    )
    shard.inOneCommit(() => {
      for (let i = 0; i < rowsInShard; i++) {
        const at = START + i * 1_000
        const type = TYPES[i % TYPES.length] ?? 'bug'
        row.run(newId(), userId(i % AUTHORS), type, `What I wanted to say, number ${i}`, at, at)
      }
      shard
        .prepare(
          `insert into feedback_counts (kind, value, slot, feedbacks)
           select 'all', '', 0, count(*) from feedbacks
           union all select 'type', type, 0, count(*) from feedbacks group by type
           union all select 'user', user_id, 0, count(*) from feedbacks group by user_id`,
        )
        .run()
    })
  }
}
