import { z } from 'zod'
import { Id } from '../../../rules/ids.ts'
import { Page } from '../../../rules/paging.ts'

const parameter = z.string().max(2048).optional()
/** The form fields a client can authenticate with. */
const Credentials = { client_id: parameter, client_secret: parameter }
/** `request-check.ts` limits the length, because a client that sent too much gets the error in the redirect. */
const anyLength = z.string().optional()

/** The parameters of the page's query, or a device's code. */
export const BeginAuthorization = z.object({
  client_id: parameter,
  redirect_uri: parameter,
  response_type: anyLength,
  scope: anyLength,
  resource: anyLength,
  state: anyLength,
  code_challenge: anyLength,
  code_challenge_method: anyLength,
  nonce: anyLength,
  prompt: anyLength,
  login_hint: anyLength,
  max_age: anyLength,
  id_token_hint: anyLength,
  response_mode: anyLength,
  request: anyLength,
  request_uri: anyLength,
  user_code: z.string().max(64).optional(),
  /** The id or slug of the organisation that the grant is to act in. */
  organization: anyLength,
})
export type BeginAuthorization = z.output<typeof BeginAuthorization>

/** Exactly one of the two is set. */
export const Begun = z.object({ request_id: z.string().optional(), redirect_to: z.string().optional() })

export const AuthorizationForm = z.object({ form: z.string() })

/** The pages describe this client before anybody has signed in. */
export const AuthorizationClient = BeginAuthorization.pick({ client_id: true, redirect_uri: true })
export const DescribedClient = z.object({
  client_name: z.string(),
  client_logo_url: z.string().nullable(),
  kind: z.enum(['tool', 'application']),
})

export const RequestId = z.object({ request_id: Id })

export const AuthorizationRequest = z.object({
  client_id: z.string(),
  client_name: z.string(),
  /** The host of the document's address, which is the client's id. */
  client_domain: z.string().nullable(),
  /** True if nobody has verified the client's own description. */
  client_registered_itself: z.boolean(),
  client_logo_url: z.string().nullable(),
  client_home_url: z.string().nullable(),
  kind: z.enum(['tool', 'application']),
  /** The application wants the user to show a credential again. */
  needs_confirmation: z.boolean(),
  /** False if nothing but that confirmation is missing. */
  needs_consent: z.boolean(),
  target_origin: z.string(),
  /** Where the browser goes with the decision; null for a device. */
  redirect_uri: z.string().nullable(),
  /** The organisation that the grant will act in unless the user chooses another one of these; null for none. */
  organization_id: z.string().nullable(),
  /** True if the client has named the organisation, which leaves the user no choice. */
  organization_named: z.boolean(),
  organizations: z.array(z.object({ id: z.string(), name: z.string() })),
  scopes: z.array(z.object({ scope: z.string(), description: z.string() })),
  user_code: z.string().nullable(),
  ip: z.string(),
  user_agent: z.string(),
  created_at: z.int(),
  expires_in: z.int(),
})

export const Decision = RequestId.extend({
  approve: z.boolean(),
  /** The organisation that the grant acts in, for good; null for none. */
  organization_id: Id.nullable().optional(),
})
export const Decided = z.object({ redirect_to: z.string().optional() })

export const DeviceAuthorization = z.object({
  ...Credentials,
  scope: parameter,
  resource: parameter,
})
export type DeviceAuthorization = z.output<typeof DeviceAuthorization>

export const DeviceCodes = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string(),
  expires_in: z.int(),
  interval: z.int(),
})

export const TokenRequest = z.object({
  grant_type: parameter,
  ...Credentials,
  code: parameter,
  redirect_uri: parameter,
  code_verifier: parameter,
  refresh_token: parameter,
  scope: parameter,
  resource: parameter,
  device_code: parameter,
  audience: parameter,
  subject_token: parameter,
  subject_token_type: parameter,
  actor_token: parameter,
  requested_token_type: parameter,
})
export type TokenRequest = z.output<typeof TokenRequest>

export const Tokens = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  /** Absent if an application did not ask for `offline_access`. */
  refresh_token: z.string().optional(),
  /** Returned with the scope `openid`. */
  id_token: z.string().optional(),
  scope: z.string(),
  /** Returned by a token exchange. */
  issued_token_type: z.string().optional(),
})
export type Tokens = z.output<typeof Tokens>

export const RevokeToken = z.object({
  token: parameter,
  token_type_hint: parameter,
  ...Credentials,
})

export const Grant = z.object({
  id: z.string(),
  client_name: z.string(),
  client_domain: z.string().nullable(),
  /** `personal` is a user's own token, `service` a program that the administrator registered. */
  kind: z.enum(['tool', 'application', 'service', 'personal']),
  target_origin: z.string(),
  scopes: z.array(z.string()),
  status: z.enum(['active', 'revoked', 'expired']),
  /** Calls per day; null for no limit. */
  daily_limit: z.int().nullable(),
  /** The calls that wait for the user's approval. */
  approval: z.enum(['none', 'writes', 'everything']),
  /** Services that act for the user now, with tokens that they got in exchange for this connection's. */
  acting_services: z.array(z.string()),
  created_at: z.int(),
  last_used_at: z.int().nullable(),
  revoked_at: z.int().nullable(),
  expires_at: z.int(),
})

export type Grant = z.output<typeof Grant>

export const UserGrants = z.object({ user_id: Id, ...Page.shape })
export const UserGrant = z.object({ user_id: Id, id: Id })
