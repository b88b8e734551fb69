import { type SelectQueryBuilder, sql } from 'kysely'
import type {
  CodeGuessesTable,
  CodePurpose,
  VerificationTable,
} from '../../../database/schema/people/identity.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { insertWhere } from '../../../database/sql/insert-where.ts'
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

export type Code = Pick<VerificationTable, 'id' | 'code_hash' | 'link_hash' | 'expires_at'>

export function codeOf(db: Pick<Meta, 'selectFrom'>, { purpose, email }: Guess) {
  return db
    .selectFrom('verification')
    .select(['id', 'code_hash', 'link_hash', 'expires_at'])
    .where('purpose', '=', purpose)
    .where('email', '=', email)
}

/** For a decision: simultaneous guesses are compared and counted one after the other. */
export function lockedCode(meta: Meta, guess: Guess) {
  return codeOf(meta, guess).$call(lockRows(meta))
}

export type Wrong = Pick<CodeGuessesTable, 'guesser' | 'failures' | 'code_id' | 'failures_on_code'>

/** Today's wrong codes for the address: at most two for each that is allowed. */
export function wrongToday(db: Pick<Meta, 'selectFrom'>, { email, day }: Guess) {
  return db
    .selectFrom('code_guesses')
    .select(['guesser', 'failures', 'code_id', 'failures_on_code'])
    .where('email', '=', email)
    .where('day', '=', day)
}

/** A link is compared however many codes were wrong; a code only if the guesser has a guess left. */
export function mayGuess({ secret, guesser, isKnown }: Guess, code: Code, today: readonly Wrong[]): boolean {
  if (secret === 'link') return true
  const own = today.find((wrong) => wrong.guesser === guesser)
  if (own && own.failures >= MOST_A_DAY) return false
  if (own?.code_id === code.id && own.failures_on_code >= MOST_ON_A_CODE) return false
  const counted = isKnown ? today.filter((wrong) => wrong.guesser.startsWith(KNOWN_BROWSER)) : today
  return counted.reduce((sum, { failures }) => sum + failures, 0) < MOST_OF_ALL_A_DAY
}

/** Two purposes have two codes, so the counter is changed where it is: the conflict locks it. */
export function countFailure(meta: Meta, { email, day, guesser }: Guess, { id }: Code) {
  return meta
    .insertInto('code_guesses')
    .values({ email, day, guesser, failures: 1, code_id: id, failures_on_code: 1 })
    .onConflict((conflict) =>
      conflict.columns(['email', 'day', 'guesser']).doUpdateSet((eb) => ({
        failures: eb('code_guesses.failures', '+', 1),
        failures_on_code: sql<number>`case when code_guesses.code_id = excluded.code_id
          then code_guesses.failures_on_code + 1 else 1 end`,
        code_id: eb.ref('excluded.code_id'),
      })),
    )
}

export function deleteCode(meta: Meta, { id }: Code) {
  return meta.deleteFrom('verification').where('id', '=', id)
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
