import type { Meta } from '../../../../database/store.ts'
import type { SocialProvider } from '../../../ground/provider-presets/presets.ts'

export async function hasUnclaimedAccounts(meta: Meta, provider: SocialProvider): Promise<boolean> {
  const row = await meta.primary
    .selectFrom('account')
    .select('id')
    .where('provider', '=', provider)
    .where('issuer', '=', '')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Skips ids that have already signed in under this issuer. After waiting for a lock, PostgreSQL checks each row's
 * issuer again; provider, issuer and id are unique together.
 */
export async function setIssuerOfAccounts(meta: Meta, provider: SocialProvider, issuer: string): Promise<void> {
  await meta
    .updateTable('account')
    .set({ issuer })
    .where('provider', '=', provider)
    .where('issuer', '=', '')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('account as claimed')
            .select('claimed.id')
            .where('claimed.provider', '=', provider)
            .where('claimed.issuer', '=', issuer)
            .whereRef('claimed.provider_account_id', '=', 'account.provider_account_id'),
        ),
      ),
    )
    .execute()
}

/** Two ranges instead of "is not", so that the index skips the accounts of the current issuer. */
export async function countFormerAccounts(meta: Meta, provider: SocialProvider, issuer: string): Promise<number> {
  const { accounts } = await meta.primary
    .selectFrom('account')
    .select((eb) => eb.fn.countAll<number>().as('accounts'))
    .where('provider', '=', provider)
    .where((eb) => eb.or([eb.and([eb('issuer', '>', ''), eb('issuer', '<', issuer)]), eb('issuer', '>', issuer)]))
    .executeTakeFirstOrThrow()
  return Number(accounts)
}
