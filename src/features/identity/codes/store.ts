import { type ExpressionBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { integer } from '../../../database/integer.ts'
import type { CodePurpose, MetaTables, VerificationTable } from '../../../database/schema.ts'
import type { Meta } from '../../../database/store.ts'

export interface Guess {
  readonly purpose: CodePurpose
  readonly email: string
  readonly codeHash: string
  readonly now: number
  /** Day number since the epoch. */
  readonly day: number
}

export interface CodeState {
  readonly attempts: number
  readonly expires_at: number
  readonly failures: number
}

export const MOST_ATTEMPTS = 3
/** Five codes' worth; asking for new ones does not buy more. */
export const MOST_FAILURES_A_DAY = 15
/** Written in place of the count by the one right guess, and gone by the end of its batch. */
const SPENT = 1_000_000

export function replaceCode(meta: Meta, row: VerificationTable) {
  return meta
    .insertInto('verification')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['purpose', 'email']).doUpdateSet((eb) => ({
        id: eb.ref('excluded.id'),
        code_hash: eb.ref('excluded.code_hash'),
        attempts: 0,
        created_at: eb.ref('excluded.created_at'),
        expires_at: eb.ref('excluded.expires_at'),
      })),
    )
}

/** Compares and counts in one statement on one row: guesses at once are counted one after the other. */
export function countAttempt(meta: Meta, guess: Guess) {
  return meta
    .updateTable('verification')
    .set((eb) => ({
      attempts: eb
        .case()
        .when(eb.and([eb('code_hash', '=', guess.codeHash), eb('attempts', '<', sql.lit(MOST_ATTEMPTS))]))
        .then(sql.lit(SPENT))
        .else(eb('attempts', '+', sql.lit(1)))
        .end(),
    }))
    .where((eb) => isAlive(eb, guess))
    .returning('attempts')
}

/** After `countAttempt` in its batch: this guess was the right one. */
export function isSpent(meta: Meta, guess: Guess) {
  return meta
    .selectFrom('verification')
    .select('id')
    .where('purpose', '=', guess.purpose)
    .where('email', '=', guess.email)
    .where('attempts', '=', SPENT)
}

export function countFailure(meta: Meta, guess: Guess) {
  return meta
    .insertInto('code_failures')
    .columns(['email', 'day', 'failures'])
    .expression((db) =>
      db
        .selectFrom('verification')
        .select(['email', integer(guess.day).as('day'), sql<number>`cast(1 as bigint)`.as('failures')])
        .where((eb) => isAlive(eb, guess))
        .where('attempts', '<=', MOST_ATTEMPTS),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['email', 'day'])
        .doUpdateSet((eb) => ({ failures: eb('code_failures.failures', '+', 1) })),
    )
}

export function deleteSpent(meta: Meta, guess: Guess) {
  return meta.deleteFrom('verification').where('id', 'in', isSpent(meta, guess))
}

function isAlive(eb: ExpressionBuilder<MetaTables, 'verification'>, guess: Guess) {
  return eb.and([
    eb('purpose', '=', guess.purpose),
    eb('verification.email', '=', guess.email),
    eb('expires_at', '>', guess.now),
    eb.not(
      eb.exists(
        eb
          .selectFrom('code_failures')
          .select('code_failures.email')
          .where('code_failures.email', '=', guess.email)
          .where('day', '=', guess.day)
          .where('failures', '>=', MOST_FAILURES_A_DAY),
      ),
    ),
  ])
}

export function codeState(meta: Meta, { purpose, email, day }: Guess): Promise<CodeState | undefined> {
  return meta.primary
    .selectFrom('verification')
    .leftJoin('code_failures', (join) =>
      join.onRef('code_failures.email', '=', 'verification.email').on('code_failures.day', '=', day),
    )
    .select(['attempts', 'expires_at', (eb) => eb.fn.coalesce('failures', sql.lit(0)).as('failures')])
    .where('purpose', '=', purpose)
    .where('verification.email', '=', email)
    .executeTakeFirst()
}

export async function deleteDeadCodes(meta: Meta, before: number): Promise<void> {
  await meta.deleteFrom('verification').where('expires_at', '<', before).execute()
}

export async function deleteOldFailures(meta: Meta, today: number): Promise<void> {
  await meta.deleteFrom('code_failures').where('day', '<', today).execute()
}

export type AddressQuery = SelectQueryBuilder<MetaTables, 'user', { email: string }>

export function deleteCodesOf(meta: Meta, email: AddressQuery) {
  return [
    meta.deleteFrom('verification').where('email', '=', email),
    meta.deleteFrom('code_failures').where('email', '=', email),
  ] as const
}
