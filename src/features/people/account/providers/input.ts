import { z } from 'zod'
import { presetNames } from '../../../../config/parsers.ts'
import { Id } from '../../../../rules/ids.ts'

const Addresses = {
  callbackURL: z.string().optional(),
  errorCallbackURL: z.string().optional(),
  disableRedirect: z.boolean().optional(),
}

/** The name of a slot, or of the preset behind it. */
const SocialName = z.enum(['provider_a', 'provider_b', ...presetNames])

const AnyName = z.enum([...SocialName.options, 'community'])

export const SignInSocial = z.object({ provider: AnyName, ...Addresses })
/** The form Better Auth's client used until 1.6, with a plugin for generic providers. */
export const SignInOAuth2 = z.object({ providerId: z.literal('community'), ...Addresses })
export const LinkSocial = z.object({ provider: AnyName, ...Addresses })
export const LinkOAuth2 = SignInOAuth2

/** The address to send the browser to. */
export const ToProvider = z.object({ url: z.string(), redirect: z.boolean() })

/**
 * Parameters the provider sends with the browser. The flow validates them, because a failure there can lead to a page.
 */
export const ProviderAnswer = z.object({
  code: z.string().optional(),
  state: z.string().optional(),
  iss: z.string().optional(),
  error: z.string().optional(),
  error_description: z.string().optional(),
})

const ProviderId = z.enum(['credential', 'provider_a', 'provider_b', 'community'])

export const LinkedAccounts = z.array(
  z.object({
    id: z.string(),
    userId: z.string(),
    providerId: ProviderId,
    accountId: z.string(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    scopes: z.array(z.string()),
    /** The password is still the one printed at preparation. */
    passwordIsInitial: z.boolean(),
  }),
)

export const UnlinkAccount = z.union([
  /** The form Better Auth's client used until 1.6: `accountId` is the account's id at its provider. */
  z.object({ providerId: z.enum([...ProviderId.options, ...presetNames]), accountId: Id.optional() }),
  /** Since 1.7: `accountId` is the `id` in the list of accounts. */
  z.object({ accountId: Id }),
])
export type UnlinkAccount = z.output<typeof UnlinkAccount>
