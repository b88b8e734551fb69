import { statement } from '../../../../database/prepared.ts'
import type { CodeGuessesTable, CodePurpose, MailedCodeTable } from '../../../../database/schema/people/account.ts'
import { lockRows, skipLockedRows } from '../../../../database/sql/row-lock.ts'
import { sweepRows } from '../../../../database/sql/sweep-rows.ts'
import type { Meta } from '../../../../database/store.ts'

export const insertMailedCode = statement((meta: Meta, row: MailedCodeTable) =>
  meta.insertInto('mailed_code').values(row),
)

/** Counts one letter, and locks the count until the commit. */
export const countLetter = statement((meta: Meta, letter: { purpose: CodePurpose; email: string; day: number }) =>
  meta
    .insertInto('code_letters')
    .values({ ...letter, letters: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['email', 'purpose', 'day'])
        .doUpdateSet((eb) => ({ letters: eb('code_letters.letters', '+', 1) })),
    )
    .returning('letters'),
)

/**
 * Covers every purpose, since guesses are counted by address. The order is fixed, so that decisions that lock these
 * rows cannot deadlock.
 */
export const mailedCodesOf = statement((meta: Meta, email: string) => allCodes(meta, email))

function allCodes(meta: Meta, email: string) {
  return meta.selectFrom('mailed_code').selectAll().where('email', '=', email).orderBy('id')
}

/** The lock lets simultaneous guesses be compared and counted one after the other. */
export const lockedMailedCodes = statement((meta: Meta, email: string) => allCodes(meta, email).$call(lockRows(meta)))

export type Wrong = Pick<CodeGuessesTable, 'day' | 'guesser' | 'failures' | 'failures_on_code' | 'counts_until'>

/** Today's wrong codes for the address, and earlier ones that still count. A decision locks the codes first. */
export const wrongGuesses = statement((meta: Meta, email: string, day: number, now: number) =>
  meta
    .selectFrom('code_guesses')
    .select(['day', 'guesser', 'failures', 'failures_on_code', 'counts_until'])
    .where('email', '=', email)
    .where((eb) => eb.or([eb('day', '=', day), eb('counts_until', '>', now)])),
)

/** The address's codes must be locked. */
export function setWrong(meta: Meta, email: string, wrong: Wrong) {
  const { failures, failures_on_code, counts_until } = wrong
  return meta
    .insertInto('code_guesses')
    .values({ email, code_id: '', ...wrong })
    .onConflict((conflict) =>
      conflict.columns(['email', 'day', 'guesser']).doUpdateSet({ failures, failures_on_code, counts_until }),
    )
}

export const deleteMailedCodes = statement((meta: Meta, purpose: CodePurpose, email: string) =>
  meta.deleteFrom('mailed_code').where('email', '=', email).where('purpose', '=', purpose),
)

export function deleteDeadCodes(meta: Meta, before: number): Promise<void> {
  return sweepRows(meta, 'mailed_code', 'id', (row) => row('link_expires_at', '<', before))
}

/** Locks the rows that it finds, and leaves those in use for the next time. */
export async function deleteOldGuesses(meta: Meta, today: number, now: number): Promise<void> {
  const old = meta
    .selectFrom('code_guesses')
    .select(['email', 'day', 'guesser'])
    .where('day', '<', today)
    .where('counts_until', '<=', now)
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

export async function deleteOldLetterCounts(meta: Meta, today: number): Promise<void> {
  await meta.deleteFrom('code_letters').where('day', '<', today).execute()
}

/**
 * The day's wrong guesses and letters stay counted: otherwise somebody who does not own the address could delete an
 * account to begin anew.
 */
export function deleteMailedCodesOf(meta: Meta, email: string) {
  return meta.deleteFrom('mailed_code').where('email', '=', email)
}
