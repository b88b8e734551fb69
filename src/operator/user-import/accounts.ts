import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { type SocialProvider, socialProviders } from '../../features/ground/provider-presets/presets.ts'
import type { IncomingAccount } from '../../features/people/account/importing.ts'
import { configuredIssuer } from '../../features/people/account/providers/issuers.ts'

/** The longest id that a provider can have for a user. */
export const AccountId = z.union([z.string().regex(/^[^\p{Cc}\p{Cs}]{1,255}$/u), z.int().positive().transform(String)])

/** An account at a provider, which is named as PROVIDER_A, PROVIDER_B or COMMUNITY_AUTH_URL name it, or by its issuer. */
export const AccountInFile = z.strictObject({ provider: z.string().max(2_048), id: AccountId })
type AccountInFile = z.output<typeof AccountInFile>

interface Matched {
  readonly accounts: readonly IncomingAccount[]
  /** What is left out, in words that can be counted. */
  readonly notTaken: readonly string[]
}

/** A user has one account at each provider; further ones are left out, as are those at providers not configured here. */
export function matchedAccounts(config: Config, theirs: readonly AccountInFile[]): Matched {
  const accounts = new Map<SocialProvider, IncomingAccount>()
  const notTaken: string[] = []
  for (const { provider: name, id } of theirs) {
    const provider = slotOf(config, name)
    if (provider === undefined || accounts.has(provider)) notTaken.push(`${name} accounts`)
    else {
      const issuer = configuredIssuer(config, provider)
      accounts.set(provider, { provider, issuer, provider_account_id: id, password_hash: null })
    }
  }
  return { accounts: [...accounts.values()], notTaken }
}

/** The bare name of a preset is its public server alone, because ids of another server belong to other people. */
function slotOf(config: Config, name: string): SocialProvider | undefined {
  const texts = { provider_a: config.providerA, provider_b: config.providerB, community: config.communityAuthUrl }
  return socialProviders.find((slot) => {
    const issuer = configuredIssuer(config, slot)
    return texts[slot] === name || (issuer !== '' && issuer === name.replace(/\/+$/, ''))
  })
}
