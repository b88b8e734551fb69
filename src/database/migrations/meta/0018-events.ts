import { sql } from 'kysely'
import { columns, primary, required } from '../columns.ts'
import type { Db } from '../migrate.ts'

/** The audit log becomes the record of everything that happened. */
export function events(db: Db) {
  const add = (type: 'text' | 'bigint', name: string) => db.schema.alterTable('event').addColumn(name, type)
  const ofAudit = sql<boolean>`action <> ''`
  return [
    db.schema.alterTable('audit_entry').renameTo('event'),
    ...['newest', 'action', 'actor', 'subject'].map((index) => db.schema.dropIndex(`audit_entry_${index}`)),
    ...['type', 'user_id', 'data'].map((name) => add('text', name)),
    add('bigint', 'position'),
    db.schema.createIndex('event_newest').on('event').columns(['created_at', 'id']).where(ofAudit),
    db.schema.createIndex('event_action').on('event').columns(['action', 'created_at', 'id']).where(ofAudit),
    db.schema.createIndex('event_actor').on('event').columns(['actor_id', 'created_at']).where(ofAudit),
    db.schema
      .createIndex('event_subject')
      .on('event')
      .columns(['subject_id', 'created_at'])
      .where(sql<boolean>`subject_id is not null`),
    db.schema
      .createIndex('event_pending')
      .on('event')
      .columns(['created_at', 'id'])
      .where(sql<boolean>`position is null and type is not null`),
    db.schema
      .createIndex('event_position')
      .unique()
      .on('event')
      .column('position')
      .where(sql<boolean>`position is not null`),
    db.schema
      .createTable('event_order')
      .addColumn('id', 'text', (column) => primary(column).check(sql`id = 'global'`))
      .$call(columns('bigint', ['last'], required)),
    db.insertInto('event_order').values({ id: 'global', last: 0 }),
  ]
}
