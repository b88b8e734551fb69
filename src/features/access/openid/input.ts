import { z } from 'zod'

/** Exceeds the longest token, for any user name, number of scopes, permissions and claims of a product. */
const parameter = z.string().max(16_384).optional()

export const Introspect = z.object({
  token: parameter,
  token_type_hint: parameter,
  client_id: parameter,
  client_secret: parameter,
})
export type Introspect = z.output<typeof Introspect>

/** RFC 7662 section 2.2. */
export const Introspected = z.looseObject({ active: z.boolean() })

/** RFC 6750 section 2.2. */
export const UserInfoForm = z.object({ access_token: parameter })

export const UserInfo = z.looseObject({ sub: z.string() })

export const EndSession = z.object({
  id_token_hint: parameter,
  client_id: parameter,
  post_logout_redirect_uri: parameter,
  state: z.string().max(1024).optional(),
})
export type EndSession = z.output<typeof EndSession>

export const SignOutFacts = z.object({
  client_name: z.string().nullable(),
  redirect_to: z.string().nullable(),
  /** The request names an address to redirect to afterwards that is not registered for this application. */
  is_redirect_refused: z.boolean(),
})
