import { sql } from 'kysely'
import { columns, primary, required, zero } from '../columns.ts'
import type { Db } from '../migrate.ts'

const TEXTS = ['id', 'purpose', 'email', 'asker', 'code_hash', 'link_hash']
const TIMES = ['created_at', 'code_expires_at', 'link_expires_at']

/**
 * Several codes for one address and purpose. Pending invitations, which last a week, are taken over; codes of five
 * minutes are simply requested again. The table `verification` stays for processes of the previous release.
 */
export function mailedCodes(db: Db) {
  return [
    db.schema
      .createTable('mailed_code')
      .$call(columns('text', ['id'], primary))
      .$call(columns('text', TEXTS.slice(1), required))
      .$call(columns('bigint', TIMES, required)),
    db.schema.createIndex('mailed_code_email').on('mailed_code').columns(['email', 'id']),
    db.schema.createIndex('mailed_code_expires').on('mailed_code').column('link_expires_at'),
    db
      .insertInto('mailed_code')
      .columns([...TEXTS, ...TIMES])
      .expression(
        db
          .selectFrom('verification')
          .select([
            'id',
            'purpose',
            'email',
            sql.lit('').as('asker'),
            sql.lit('').as('code_hash'),
            'link_hash',
          ])
          .select(['created_at', 'expires_at as code_expires_at', 'expires_at as link_expires_at'])
          .where('purpose', '=', 'invitation'),
      ),
    db.deleteFrom('verification'),
    db.schema
      .createTable('code_letters')
      .$call(columns('text', ['email', 'purpose'], required))
      .$call(columns('bigint', ['day', 'letters'], required))
      .addPrimaryKeyConstraint('code_letters_key', ['email', 'purpose', 'day']),
    db.schema.createIndex('code_letters_day').on('code_letters').column('day'),
    db.schema.alterTable('code_guesses').addColumn('counts_until', 'bigint', zero),
  ]
}
