import { type AliasableExpression, type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import { prepared, statement } from '../../../database/prepared.ts'
import type { EventTable } from '../../../database/schema/events.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { amongJson } from '../../../database/sql/conditions.ts'
import { integer } from '../../../database/sql/integer.ts'
import { isShared } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import type { EventType } from '../../../rules/event-types.ts'
import { newId } from '../../../rules/ids.ts'

/** The row as the writer makes it; the relay adds the position. */
export type NewRow = Omit<EventTable, 'position'>

export const NOT_AUDITED = {
  action: '',
  actor_id: null,
  subject_type: null,
  subject_id: null,
  organization_id: null,
  ip: null,
  details: '{}',
} as const satisfies Partial<NewRow>

export const insertEvents = statement((db: Kysely<MetaTables>, ...rows: readonly NewRow[]) =>
  db.insertInto('event').values(rows),
)

/** One of many changes made by one statement. */
interface Fact {
  readonly user_id: string | null
  readonly data: string
}

/**
 * Inserts an event for each fact. Facts that are about to be deleted are locked as they are read, so that each is
 * reported once.
 */
export function insertEventOfEach(
  db: Kysely<MetaTables>,
  type: EventType,
  facts: AliasableExpression<Fact>,
  now: number,
  idOfFirst: string = newId(),
) {
  const id = numberedId(idOfFirst)
  return db
    .insertInto('event')
    .columns(['id', 'user_id', 'data', 'created_at', 'action', 'details', 'type'])
    .expression((eb) =>
      eb
        .selectFrom(facts.as('fact'))
        .select([
          id.as('id'),
          'fact.user_id',
          'fact.data',
          integer(now).as('created_at'),
          sql.lit('').as('action'),
          sql.lit('{}').as('details'),
          sql.lit(type).as('type'),
        ]),
    )
}

function numberedId(idOfFirst: string) {
  return sql<string>`cast(${idOfFirst} as text) || '_' || row_number() over ()`
}

/** Erases what was sent about a deleted user. */
export function forgetDataOf(db: Kysely<MetaTables>, userId: string) {
  return db.updateTable('event').set({ data: '{}' }).where('subject_id', '=', userId).where('data', 'is not', null)
}

/** Erases what events of these organisations sent about an address. */
export function forgetAddressIn(db: Kysely<MetaTables>, organizationIds: Expression<unknown>, email: string) {
  return db
    .updateTable('event')
    .set({ data: '{}' })
    .where(sql<SqlBool>`subject_id in ${organizationIds}`)
    .where('data', 'is not', null)
    .where(sql<SqlBool>`${namedIn(db, 'email')} = ${email}`)
}

/** The last assigned position. */
export function orderEnd(db: Kysely<MetaTables>) {
  return db.selectFrom('event_order').select('last')
}

/** The number of events after a position, and the time of the first. No types: every type. */
export function eventsAfter(db: Kysely<MetaTables>, position: number, types: readonly EventType[]) {
  const after = db
    .selectFrom('event')
    .select((eb) => [eb.fn.countAll<number>().as('waiting'), eb.fn.min('created_at').as('oldest')])
    .where('position', '>', position)
  return types.length === 0 ? after : after.where('type', 'in', types)
}

export async function areEventsOverdue({ primary }: Meta, time: number, types: readonly EventType[]): Promise<boolean> {
  const rows = await primary.run(unplacedBefore(primary, { time, types: JSON.stringify(types) }))
  return rows.length > 0
}

const unplacedBefore = prepared({ time: 0, types: '' }, (db: Kysely<MetaTables>, { time, types }) =>
  db
    .selectFrom('event')
    .select('id')
    .where('position', 'is', null)
    .where('type', 'is not', null)
    .where('created_at', '<', time)
    .where(amongJson(db, 'type', types))
    .limit(1),
)

/** What an event is about: a user or an organisation, or what its data names. */
export type Subject =
  | { readonly by: 'user_id' | 'organization_id'; readonly id: string }
  | { readonly by: 'data'; readonly name: 'id' | 'client_id'; readonly id: string }

/** The newest event of these types about a subject that has a position after this one, or none yet. */
export function newestEvents(db: Kysely<MetaTables>, subject: Subject, types: readonly EventType[], position: number) {
  const about = db
    .selectFrom('event')
    .select(['created_at', 'position'])
    .where(amongJson(db, 'type', JSON.stringify(types)))
    .where(sql<SqlBool>`${namedBy(db, subject)} = ${subject.id}`)
    .limit(1)
  return [
    about.where('position', '>', position).orderBy('position', 'desc'),
    about.where('position', 'is', null).where('type', 'is not', null).orderBy('created_at', 'desc'),
  ] as const
}

function namedBy(db: Kysely<MetaTables>, subject: Subject) {
  if (subject.by !== 'data') return sql.ref(subject.by)
  return namedIn(db, subject.name)
}

function namedIn(db: Kysely<MetaTables>, name: 'id' | 'client_id' | 'email') {
  const data = isShared(db) ? sql`cast(data as json)` : sql`data`
  return sql`${data} ->> ${sql.lit(name)}`
}
