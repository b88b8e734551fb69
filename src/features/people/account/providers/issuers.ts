import type { Config } from '../../../../config/config.ts'
import type { Provider } from '../../../../database/schema/people/account.ts'
import type { Meta } from '../../../../database/store.ts'
import { issuerOf, presetOf, type SocialProvider, socialProviders } from '../../../ground/provider-presets/presets.ts'
import * as store from './issuer-store.ts'

interface ConfiguredIssuer {
  readonly provider: SocialProvider
  readonly issuer: string
}

interface FormerAccounts extends ConfiguredIssuer {
  readonly accounts: number
}

/** Empty for `credential`, and for a slot without a server. */
export function configuredIssuer(config: Config, provider: Provider): string {
  const preset = provider === 'credential' ? undefined : presetOf(config, provider)
  return preset ? issuerOf(preset) : ''
}

/** Accounts from before issuers were stored belong to the first server that is configured behind their slot. */
export async function claimAccounts(config: Config, meta: Meta): Promise<void> {
  for (const { provider, issuer } of configuredIssuers(config)) {
    if (await store.hasUnclaimedAccounts(meta, provider)) await store.setIssuerOfAccounts(meta, provider, issuer)
  }
}

/** The slots with accounts from a server other than the configured one; nobody can sign in with those accounts. */
export async function formerAccounts(config: Config, meta: Meta): Promise<readonly FormerAccounts[]> {
  const counted = await Promise.all(
    configuredIssuers(config).map(async ({ provider, issuer }) => ({
      provider,
      issuer,
      accounts: await store.countFormerAccounts(meta, provider, issuer),
    })),
  )
  return counted.filter(({ accounts }) => accounts > 0)
}

function configuredIssuers(config: Config): readonly ConfiguredIssuer[] {
  return socialProviders
    .map((provider) => ({ provider, issuer: configuredIssuer(config, provider) }))
    .filter(({ issuer }) => issuer !== '')
}
