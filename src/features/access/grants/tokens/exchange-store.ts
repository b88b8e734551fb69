import type { AccessTokenTable } from '../../../../database/schema/products/grants.ts'
import { keepRowsUnchanged } from '../../../../database/sql/row-lock.ts'
import type { Meta } from '../../../../database/store.ts'

export type ExchangedToken = AccessTokenTable & {
  readonly subject_hash: string
  readonly actor_id: string
  readonly act: string
}

/** Lock the grant first; everything that ends or shortens this token does. */
export function heldSubject(meta: Meta, tokenHash: string) {
  return meta
    .selectFrom('access_token')
    .select('expires_at')
    .where('token_hash', '=', tokenHash)
    .$call(keepRowsUnchanged(meta))
}

/** The grant must be locked; every exchange of its tokens locks it first. */
export function livingTokensOf(meta: Meta, grantId: string, actorId: string, now: number) {
  return meta
    .selectFrom('access_token')
    .select('token_hash')
    .where('grant_id', '=', grantId)
    .where('expires_at', '>', now)
    .where('actor_id', '=', actorId)
    .limit(1)
}

export function insertExchanged(meta: Meta, token: ExchangedToken) {
  return meta.insertInto('access_token').values(token)
}
