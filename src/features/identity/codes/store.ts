import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import type { CodePurpose, VerificationTable } from '../../../database/schema/people/identity.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { insertWhere } from '../../../database/sql/insert-where.ts'
import { integer } from '../../../database/sql/integer.ts'
import { lockRows, skipLockedRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'
import type { Users } from '../../users/statements.ts'

export interface Guess {
  readonly purpose: CodePurpose
  readonly email: string
  readonly secret: 'code' | 'link'
  readonly hash: string
  readonly now: number
  /** Day number since the epoch. */
  readonly day: number
  /** Wrong codes with the same guesser are counted together. */
  readonly guesser: string
  /** One of the account's own browsers: strangers' wrong codes do not affect it. */
  readonly isKnown: boolean
  /** A further condition. */
  readonly onlyIf?: Expression<unknown>
}

const MOST_ON_A_CODE = 3
/** Enough for five codes; requesting new codes does not allow more. */
const MOST_A_DAY = 15
/**
 * For all strangers together: a guesser with many networks has a chance of 60 in a million per day. The
 * mailed link still works.
 */
const MOST_OF_ALL_A_DAY = 60

/**
 * A guesser who is one of the account's own browsers. All of these together have as many guesses as all strangers:
 * anybody who knows the password can sign in with any number of browsers, and need not own the address.
 */
export function knownBrowser(id: string): Pick<Guess, 'guesser' | 'isKnown'> {
  return { guesser: `${KNOWN_BROWSER}${id}`, isKnown: true }
}

const KNOWN_BROWSER = 'browser:'

/** With `users`, only if that query finds one, whom the batch has made or locked. */
export function replaceCode(meta: Meta, row: VerificationTable, users?: Users) {
  const insertion = users
    ? insertWhere(meta, 'verification', row, users)
    : meta.insertInto('verification').values(row)
  return insertion.onConflict((conflict) =>
    conflict.columns(['purpose', 'email']).doUpdateSet((eb) => ({
      id: eb.ref('excluded.id'),
      code_hash: eb.ref('excluded.code_hash'),
      link_hash: eb.ref('excluded.link_hash'),
      is_spent: 0,
      created_at: eb.ref('excluded.created_at'),
      expires_at: eb.ref('excluded.expires_at'),
    })),
  )
}

/** Simultaneous guesses are compared and counted one after the other. */
export function lockCode(meta: Meta, guess: Guess) {
  return ofAddress(meta, guess).select('id').$call(lockRows(meta))
}

/**
 * After `lockCode`. A link is compared however many codes were wrong; a code only if the guesser has a guess left.
 * The lock lets one guess at a time through, so that each sees how many were wrong before it.
 */
export function spend(meta: Meta, guess: Guess) {
  return meta
    .updateTable('verification')
    .set({ is_spent: 1 })
    .where('purpose', '=', guess.purpose)
    .where('verification.email', '=', guess.email)
    .where('expires_at', '>', guess.now)
    .where(guess.secret === 'code' ? 'code_hash' : 'link_hash', '=', guess.hash)
    .where((eb) => (guess.secret === 'code' ? mayGuess(eb, guess) : eb.lit(true)))
    .where((eb) => (guess.onlyIf ? eb.exists(guess.onlyIf) : eb.lit(true)))
}

/** A condition, after `spend` in the same batch: this guess was right. */
export function isSpent(meta: Meta, guess: Guess) {
  return ofAddress(meta, guess).select('verification.id').where('is_spent', '=', 1)
}

/**
 * After `spend`: counts a wrong code that was compared. Returns a row only then. The code is locked since
 * `lockCode`; the conflict locks the counter.
 */
export function countFailure(meta: Meta, guess: Guess) {
  return meta
    .insertInto('code_guesses')
    .columns(['email', 'day', 'guesser', 'failures', 'code_id', 'failures_on_code'])
    .expression(
      ofAddress(meta, guess)
        .select([
          'verification.email',
          integer(guess.day).as('day'),
          sql.val(guess.guesser).as('guesser'),
          integer(1).as('failures'),
          'verification.id as code_id',
          integer(1).as('failures_on_code'),
        ])
        .where('expires_at', '>', guess.now)
        .where('is_spent', '=', 0)
        .where((eb) => (guess.secret === 'code' ? mayGuess(eb, guess) : eb.lit(false))),
    )
    .onConflict((conflict) =>
      conflict.columns(['email', 'day', 'guesser']).doUpdateSet((eb) => ({
        failures: eb('code_guesses.failures', '+', 1),
        failures_on_code: sql<number>`case when code_guesses.code_id = excluded.code_id
          then code_guesses.failures_on_code + 1 else 1 end`,
        code_id: eb.ref('excluded.code_id'),
      })),
    )
    .returning('failures')
}

/** After `lockCode`. */
export function deleteSpent(meta: Meta, guess: Guess) {
  return meta.deleteFrom('verification').where('id', 'in', isSpent(meta, guess))
}

/** Undefined if no code was requested, or the link is not the one that was mailed. */
export async function codeState(meta: Meta, guess: Guess) {
  const row = await ofAddress(meta.primary, guess)
    .select((eb) => [
      'expires_at',
      'link_hash',
      eb.case().when(mayGuess(eb, guess)).then(sql.lit(1)).else(sql.lit(0)).end().as('may_guess'),
    ])
    .executeTakeFirst()
  if (!row || (guess.secret === 'link' && row.link_hash !== guess.hash)) return undefined
  return { expiresAt: row.expires_at, mayGuess: guess.secret === 'link' || row.may_guess === 1 }
}

function ofAddress(db: Pick<Meta, 'selectFrom'>, { purpose, email }: Guess) {
  return db.selectFrom('verification').where('purpose', '=', purpose).where('verification.email', '=', email)
}

function mayGuess(
  eb: ExpressionBuilder<MetaTables, 'verification'>,
  { email, day, guesser, isKnown }: Guess,
) {
  const today = eb
    .selectFrom('code_guesses')
    .where('code_guesses.email', '=', email)
    .where('code_guesses.day', '=', day)
  const isUsedUp = today
    .select('code_guesses.guesser')
    .where('code_guesses.guesser', '=', guesser)
    .where((own) =>
      own.or([
        own('failures', '>=', MOST_A_DAY),
        own.and([
          own('code_id', '=', sql.ref<string>('verification.id')),
          own('failures_on_code', '>=', MOST_ON_A_CODE),
        ]),
      ]),
    )
  const ofAll = today
    .select((all) => all.fn.coalesce(all.fn.sum<number>('failures'), sql.lit(0)).as('all'))
    .$if(isKnown, (query) => query.where('code_guesses.guesser', 'like', `${KNOWN_BROWSER}%`))
  return eb.and([eb.not(eb.exists(isUsedUp)), sql<SqlBool>`${ofAll} < ${sql.lit(MOST_OF_ALL_A_DAY)}`])
}

/** Locks the rows that it finds, and leaves those in use for the next time. */
export async function deleteDeadCodes(meta: Meta, before: number): Promise<void> {
  const dead = meta.selectFrom('verification').select('id').where('expires_at', '<', before)
  await meta
    .deleteFrom('verification')
    .where('id', 'in', dead.$call(skipLockedRows(meta)))
    .execute()
}

/** Locks the rows that it finds, and leaves those in use for the next time. */
export async function deleteOldGuesses(meta: Meta, today: number): Promise<void> {
  const old = meta.selectFrom('code_guesses').select(['email', 'day', 'guesser']).where('day', '<', today)
  await meta
    .deleteFrom('code_guesses')
    .where((eb) =>
      eb(
        eb.refTuple('email', 'day', 'guesser'),
        'in',
        old.$call(skipLockedRows(meta)).$asTuple('email', 'day', 'guesser'),
      ),
    )
    .execute()
}

export type AddressQuery = SelectQueryBuilder<MetaTables, 'user', { email: string }>

/** The day's wrong guesses stay: somebody who does not own the address could delete an account to guess anew. */
export function deleteCodesOf(meta: Meta, email: AddressQuery) {
  return meta.deleteFrom('verification').where('email', '=', email)
}
