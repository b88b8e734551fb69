import { DAY_MILLISECONDS } from '../../src/rules/time.ts'
import { userId } from '../ours.ts'

/** What an installation with this many users contains after a year. */
export function sizeOf(users: number) {
  return { users, sessions: 2 * users, events: 10 * users, feedbacks: 3 * users }
}

type Size = ReturnType<typeof sizeOf>

export const SHARDS = ['apac-1', 'weur-1', 'oc-1'] as const
const YEAR = 365 * DAY_MILLISECONDS

/** The ids that `userId` of the other measures makes. */
const idOf = (number: string) => `'${userId(0).slice(0, -12)}' || ${padded(number)}`
/** The organisation that the user owns. */
export const ownOrganization = (user: string) => `replace(${user}, '-8000-', '-8001-')`
const padded = (number: string) => `substr(cast(1000000000000 + ${number} as text), 2)`

/** The numbers from 0, as a table of one column. */
const numbers = (count: number) =>
  `(with recursive n(i) as (select cast(0 as bigint) union all select i + 1 from n where i < ${count - 1}) select i from n) as n`

/** Evenly over the year before `now`. */
const moment = (count: number, now: number) => `${now - YEAR} + n.i * ${Math.floor(YEAR / count)}`

/** In SQL that both engines take; the first session of each user is one that `sessionToken` cannot open. */
export function globalRows({ users, sessions, events }: Size, now: number): readonly string[] {
  const created = moment(users, now)
  const happened = moment(events, now)
  return [
    `insert into "user" (id, name, folded_name, email, email_verified, aff_code, role, created_at, updated_at)
     select ${idOf('n.i')}, 'Person ' || n.i, 'person ' || n.i, 'person-' || n.i || '@example.com', 1, 'BENCH' || n.i, 'user',
       ${created}, ${created}
     from ${numbers(users)}`,
    // The triggers are off while a store is filled.
    `insert into user_search (user_id, text)
     select id, folded_name || ' ' || email || ' ' || id || '  ' from "user" where role = 'user'`,
    `insert into user_shards (user_id, shard_id, created_at)
     select ${idOf('n.i')}, case n.i % 3 when 0 then '${SHARDS[0]}' when 1 then '${SHARDS[1]}' else '${SHARDS[2]}' end,
       ${created}
     from ${numbers(users)}`,
    `insert into account (id, user_id, provider, provider_account_id, password_hash, created_at, updated_at)
     select ${idOf('n.i')}, ${idOf('n.i')}, 'credential', ${idOf('n.i')}, 'none', ${created}, ${created}
     from ${numbers(users)}`,
    `insert into session (id, user_id, token_hash, created_at, refreshed_at, expires_at, last_used_at, ip, user_agent)
     select 'session ' || n.i, ${idOf(`(n.i % ${users})`)}, 'no token has this hash ' || ${padded('n.i')},
       ${now - DAY_MILLISECONDS}, ${now - DAY_MILLISECONDS}, ${now + 29 * DAY_MILLISECONDS}, ${now - DAY_MILLISECONDS}, '192.0.2.1', 'Mozilla/5.0 (X11; Linux x86_64)'
     from ${numbers(sessions)}`,
    `insert into event (id, created_at, action, actor_id, subject_type, subject_id, ip, details, type, user_id, data, position)
     select 'event ' || ${padded('n.i')}, ${happened},
       case n.i % 10 when 0 then '' when 1 then 'user.sign_in_refused' when 2 then 'grant.approved' else 'user.sign_in' end,
       case when n.i % 10 > 0 then ${idOf(`(n.i / 10 % ${users})`)} end, 'user', ${idOf(`(n.i / 10 % ${users})`)},
       '192.0.2.1', '{}',
       case when n.i % 10 = 0 then 'feedback.created' when n.i % 10 > 2 then 'session.created' end,
       case when n.i % 10 = 0 or n.i % 10 > 2 then ${idOf(`(n.i / 10 % ${users})`)} end,
       case when n.i % 10 = 0 or n.i % 10 > 2 then '{}' end,
       case when n.i % 10 = 0 or n.i % 10 > 2 then n.i + 1 end
     from ${numbers(events)}`,
    ...organizationRows(users, created),
    `update event_order set last = ${events}`,
    'delete from row_counts',
    `insert into row_counts (kind, value, part, total)
     select 'audit_entry', action, 0, count(*) from event where action <> '' group by action
     union all select 'user', '', 0, count(*) from "user"
     union all select 'sign_up', cast(created_at / ${DAY_MILLISECONDS} as text), 0, count(*) from "user" group by 2
     union all select 'organization', status, 0, count(*) from organization group by status`,
  ]
}

/** One for each user, who is also in the next one; every tenth is in the first. */
function organizationRows(users: number, created: string): readonly string[] {
  const memberships = [
    ['owner', 'n.i', 'true'],
    ['member', `((n.i + 1) % ${users})`, 'true'],
    ['member', '0', 'n.i > 0 and n.i % 10 = 0'],
  ].map(
    ([role, organization = '', condition], i) => `select 'member ${i} ' || ${padded('n.i')},
    ${ownOrganization(idOf(organization))}, ${idOf('n.i')}, '${role}', ${created} from ${numbers(users)} where ${condition}`,
  )
  return [
    `insert into organization (id, slug, name, folded_name, seats, members, owners, status, created_at, updated_at)
     select ${ownOrganization(idOf('n.i'))}, 'company-' || n.i || '-ltd', 'Company', 'company', ${users},
       case n.i when 0 then ${users / 10 + 1} else 2 end, 1, 'active', ${created}, ${created} from ${numbers(users)}`,
    `insert into organization_search (organization_id, text)
     select id, folded_name || ' ' || slug || ' ' || id || '  ' from organization`,
    ...memberships.map((rows) => `insert into member (id, organization_id, user_id, roles, created_at) ${rows}`),
    `insert into member_role (organization_id, role, joined_at, member_id, user_id)
     select organization_id, roles, created_at, id, user_id from member`,
  ]
}

/** The shard with this number: each of its users has written three times. */
export function shardRows({ users }: Size, shard: number, now: number): readonly string[] {
  const own = `(select i from ${numbers(users)} where i % 3 = ${shard}) as n`
  const rows = `(select n.i as i, three.k as k from ${own} cross join (select 0 as k union all select 1 union all select 2) as three) as n`
  return [
    `insert into residents (user_id, state, writes) select ${idOf('n.i')}, 'open', 1 from ${own}`,
    `insert into feedbacks (id, user_id, type, content, status, note, created_at, updated_at)
     select 'feedback ' || ${padded('n.i')} || ' ' || n.k, ${idOf('n.i')},
       case n.i % 4 when 0 then 'bug' when 1 then 'idea' when 2 then 'praise' else 'question' end,
       'What I wanted to say, number ' || n.i || ', about the length that people write when they are asked for an idea.',
       case when n.i % 50 = 0 then 'new' else 'done' end, '',
       ${now - YEAR} + n.i * ${Math.floor(YEAR / users)} + n.k, ${now - YEAR} + n.i * ${Math.floor(YEAR / users)} + n.k
     from ${rows}`,
    // The counters that submitting keeps.
    `insert into feedback_counts (kind, value, slot, feedbacks)
     select 'all', '', 0, count(*) from feedbacks
     union all select 'type', type, 0, count(*) from feedbacks group by type
     union all select 'user', user_id, 0, count(*) from feedbacks group by user_id`,
  ]
}
