import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../src/rules/time.ts'
import { tokenHash } from '../../src/rules/tokens.ts'
import { withClient } from '../../test/postgres/databases.ts'
import type { Installation } from '../on-postgres.ts'
import { APART, sessionToken, userId } from '../ours.ts'
import { TYPES } from './feedback-rows.ts'

/** People, each with a session on the first shard. */
export async function insertPeople({ url }: Installation, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, i) => i)
  const ids = numbers.map(userId)
  const hashes = numbers.map((number) => tokenHash(sessionToken(number)))
  const now = Date.now()
  await withClient(url, async (client) => {
    await client.query(
      `insert into "user" (id, name, email, email_verified, aff_code, role, created_at, updated_at)
       select id, 'Person', id || '@example.com', 1, id, 'user', $2 - i * ${APART}, $2 - (i * ${APART}) % ${HOUR_MILLISECONDS}
       from unnest($1::text[]) with ordinality as given (id, i)`,
      [ids, now],
    )
    await client.query(
      `insert into user_shards (user_id, shard_id, created_at)
       select id, 'apac-1', $2 from unnest($1::text[]) as id`,
      [ids, now],
    )
    await client.query(
      `insert into session (id, user_id, token_hash, created_at, refreshed_at, expires_at, last_used_at)
       select id, id, hash, $3 - i * ${APART}, $3 - (i * ${APART}) % ${HOUR_MILLISECONDS},
         $4 - (i * ${APART}) % ${HOUR_MILLISECONDS}, $3
       from unnest($1::text[], $2::text[]) with ordinality as given (id, hash, i)`,
      [ids, hashes, now, now + 30 * DAY_MILLISECONDS],
    )
    await client.query('analyze')
  })
}

/** Of the one administrator, whose session this makes. */
export async function administratorToken({ url }: Installation): Promise<string> {
  const now = Date.now()
  const token = sessionToken(-1)
  await withClient(url, (client) =>
    client.query(
      `insert into session (id, user_id, token_hash, created_at, refreshed_at, expires_at, last_used_at)
       select 'bench', id, $1, $2, $2, $3, $2 from "user" where role = 'administrator'`,
      [tokenHash(token), now, now + 30 * DAY_MILLISECONDS],
    ),
  )
  return token
}

/** Visible to everybody, read by nobody. */
export async function insertNotifications({ url }: Installation, count: number): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(
      `insert into notifications (id, type, title, content, target_user_id, created_at, updated_at)
       select md5(i::text), 'system', 'Notification ' || i, 'Something worth knowing, number ' || i, null, $2 + i, $2 + i
       from generate_series(1, $1::bigint) as i`,
      [count, START],
    )
    await client.query('analyze')
  })
}

/** The same number of rows in each shard, newest last, with the counters that submitting keeps. */
export async function insertFeedbacks({ shardUrls }: Installation, rowsInShard: number): Promise<void> {
  for (const url of shardUrls) {
    await withClient(url, async (client) => {
      await client.query(
        `insert into feedbacks (id, user_id, type, content, status, note, created_at, updated_at)
         select md5(i::text), '00000000-0000-7000-8000-' || lpad((i % 1000)::text, 12, '0'),
           ($3::text[])[1 + i % cardinality($3::text[])],
           'What I wanted to say, number ' || i, 'new', '', $2 + i * 1000, $2 + i * 1000
         from generate_series(1, $1::bigint) as i`,
        [rowsInShard, START, TYPES],
      )
      await client.query(
        `insert into feedback_counts (kind, value, slot, feedbacks)
         select 'all', '', 0, count(*) from feedbacks
         union all select 'type', type, 0, count(*) from feedbacks group by type
         union all select 'user', user_id, 0, count(*) from feedbacks group by user_id`,
      )
      await client.query('analyze')
    })
  }
}

const START = 1_700_000_000_000
