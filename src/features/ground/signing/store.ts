import { type Kysely, type SqlBool, sql } from 'kysely'
import { prepared } from '../../../database/prepared.ts'
import type { SigningAlgorithm, SigningKeyTable } from '../../../database/schema/products/signing.ts'
import type { MetaTables } from '../../../database/schema/tables.ts'
import { lockRows } from '../../../database/sql/row-lock.ts'
import type { Meta } from '../../../database/store.ts'

export async function signingKeyAt(meta: Meta, algorithm: SigningAlgorithm, now: number) {
  const { primary } = meta
  const [row] = await primary.run(keyAt(primary, { algorithm, now }))
  return row
}

const keyAt = prepared<MetaTables, KeyAt, Pick<SigningKeyTable, 'kid' | 'sealed'>>(
  { algorithm: 'EdDSA', now: 0 },
  (db: Kysely<MetaTables>, { algorithm, now }) =>
    db
      .selectFrom('signing_key')
      .select(['kid', 'sealed'])
      .where('algorithm', '=', algorithm)
      .where('signs_from', '<=', now)
      .where('sealed', '<>', sql.lit(''))
      .orderBy('generation', 'desc')
      .limit(1),
)

interface KeyAt {
  readonly algorithm: SigningAlgorithm
  readonly now: number
}

export function oldestKey(meta: Meta, algorithm: SigningAlgorithm) {
  return meta.primary
    .selectFrom('signing_key')
    .select(['kid', 'sealed'])
    .where('algorithm', '=', algorithm)
    .where('sealed', '<>', '')
    .orderBy('generation')
    .limit(1)
    .executeTakeFirst()
}

export function allKeys(meta: Meta) {
  return meta.primary
    .selectFrom('signing_key')
    .select(['algorithm', 'generation', 'public_jwk', 'signs_from'])
    .orderBy('algorithm')
    .orderBy('generation')
    .execute()
}

/** Leaves out keys whose successor began to sign before that time, and those kept for hints. */
export function keysNotReplacedBefore(meta: Meta, time: number) {
  return meta.primary
    .selectFrom('signing_key')
    .select(['algorithm', 'generation', 'sealed', 'public_jwk', 'signs_from'])
    .where('sealed', '<>', '')
    .where(({ not }) => not(replacedBefore(meta, time)))
    .orderBy('algorithm')
    .orderBy('generation')
    .execute()
}

export function lockedKeys(meta: Meta, algorithm: SigningAlgorithm) {
  return meta
    .selectFrom('signing_key')
    .select('generation')
    .where('algorithm', '=', algorithm)
    .orderBy('generation')
    .$call(lockRows(meta))
}

export function deleteKeys(meta: Meta, algorithm: SigningAlgorithm) {
  return meta.deleteFrom('signing_key').where('algorithm', '=', algorithm)
}

export function insertKeyRow(meta: Meta, row: SigningKeyTable) {
  return meta.insertInto('signing_key').values(row)
}

/** If another process has made this generation first, its key stays. */
export async function insertKey(meta: Meta, row: SigningKeyTable): Promise<void> {
  await insertKeyRow(meta, row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Deletes the private halves of keys whose successor began to sign before that time. */
export async function forgetPrivateKeysReplacedBefore(meta: Meta, time: number): Promise<void> {
  await meta
    .updateTable('signing_key')
    .set({ sealed: '' })
    .where('sealed', '<>', '')
    .where(replacedBefore(meta, time))
    .execute()
}

/** Deletes the keys whose successor began to sign before that time. */
export async function deleteKeysReplacedBefore(meta: Meta, time: number): Promise<void> {
  await meta.deleteFrom('signing_key').where(replacedBefore(meta, time)).execute()
}

/** A condition on `signing_key`. Needs no lock: such a successor is never removed without another one. */
function replacedBefore(meta: Meta, time: number) {
  const successors = meta
    .selectFrom('signing_key as successor')
    .select('successor.kid')
    .where('successor.algorithm', '=', sql.ref<SigningAlgorithm>('signing_key.algorithm'))
    .where('successor.generation', '>', sql.ref<number>('signing_key.generation'))
    .where('successor.signs_from', '<=', time)
  return sql<SqlBool>`exists ${successors}`
}
