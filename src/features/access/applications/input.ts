import { z } from 'zod'
import { EndpointUrl } from '../../../rules/endpoint-url.ts'
import { Id, Key } from '../../../rules/ids.ts'
import { nameOf } from '../../../rules/names.ts'
import { InOrder, Page } from '../../../rules/paging.ts'
import { type GrantedScope, isGrantedScope } from '../../../rules/scopes.ts'
import { BrandChanges, BrandOfFile, ShownBrand } from './brand.ts'

const Address = z.string().min(1).max(2048)
const Addresses = z.array(Address).max(20)
const Kind = z.enum(['web', 'browser', 'native', 'service'])
const Algorithm = z.enum(['EdDSA', 'RS256'])
const Scopes = z
  .array(z.string().refine((text): text is GrantedScope => isGrantedScope(text), 'Unknown scope.'))
  .max(64)
const Picture = z
  .url({ protocol: /^https$/, error: 'Use an https address.' })
  .max(2048)
  .nullable()

/** The address at which the product accepts tokens issued for it alone. */
const Resource = Address.nullable()

const Fields = {
  name: nameOf(100),
  redirect_uris: Addresses,
  post_logout_redirect_uris: Addresses,
  scopes: Scopes,
  logo_url: Picture,
  home_url: Picture,
  resource: Resource,
  skip_consent: z.boolean(),
  id_token_algorithm: Algorithm,
  require_pkce: z.boolean(),
  backchannel_logout_uri: EndpointUrl.nullable(),
  brand: BrandChanges,
}

export const FieldNames = z.object(Fields).keyof()

/**
 * An application without scopes only learns who its user is; a service without scopes gets no token, but can check
 * others'.
 */
export const NewApplication = z.object({
  ...Fields,
  key: Key.optional(),
  kind: Kind,
  redirect_uris: Addresses.default([]),
  post_logout_redirect_uris: Addresses.default([]),
  scopes: Scopes.optional(),
  logo_url: Picture.default(null),
  home_url: Picture.default(null),
  resource: Resource.default(null),
  skip_consent: z.boolean().default(false),
  /** `RS256` for `web`, because many servers verify nothing else. */
  id_token_algorithm: Algorithm.optional(),
  require_pkce: z.boolean().default(true),
  backchannel_logout_uri: EndpointUrl.nullable().default(null),
  brand: BrandChanges.default(null),
})
export type NewApplication = z.output<typeof NewApplication>

/** The tokens of a service end with the secret that they were issued for, unless they are kept. */
export const RotateSecret = z.object({ id: Id, keep_tokens: z.boolean().default(false) })
export type RotateSecret = z.output<typeof RotateSecret>

/** The kind cannot change: with another kind it would be another application. A key is set once. */
export const ApplicationChanges = z.object({ id: Id, key: Key.optional(), ...z.object(Fields).partial().shape })
export type ApplicationChanges = z.output<typeof ApplicationChanges>

/** As a file of settings has it; what a new application needs is missing at most from one that there is. */
export const ApplicationOfFile = z.strictObject({
  key: Key,
  kind: Kind.optional(),
  ...z.object(Fields).partial().shape,
  brand: BrandOfFile.optional(),
})
export type ApplicationOfFile = z.output<typeof ApplicationOfFile>

export const Application = z.object({
  id: z.string(),
  client_id: z.string(),
  key: z.string().nullable(),
  name: z.string(),
  kind: Kind,
  redirect_uris: z.array(z.string()),
  post_logout_redirect_uris: z.array(z.string()),
  scopes: z.array(z.string()),
  logo_url: z.string().nullable(),
  home_url: z.string().nullable(),
  resource: z.string().nullable(),
  origin: z.enum(['administrator', 'document', 'registration']),
  skip_consent: z.boolean(),
  id_token_algorithm: Algorithm,
  require_pkce: z.boolean(),
  backchannel_logout_uri: z.string().nullable(),
  brand: ShownBrand,
  created_at: z.int(),
  updated_at: z.int(),
})
export type Application = z.output<typeof Application>

/** One application, with who uses it. */
export const ApplicationInUse = z.object({
  ...Application.shape,
  /** The users who have agreed to it or have given it access that still lasts. */
  users: z.int(),
  /** Newest first, at most ten. */
  sign_ins: z.array(z.object({ user_id: z.string(), email: z.string(), at: z.int() })),
})

/** The secret is shown here and never again; only applications that can keep one have it. */
export const Created = z.object({
  id: z.string(),
  client_id: z.string(),
  client_secret: z.string().optional(),
})
export const NewSecret = z.object({ client_secret: z.string() })

export const ApplicationRefusal = z.object({
  at: z.int(),
  error: z.string(),
  error_description: z.string(),
  /** The path of the endpoint. */
  endpoint: z.string(),
  ip: z.string(),
})

export const ListApplications = z.object({ ...InOrder.shape, ...Page.shape })
export type ListApplications = z.output<typeof ListApplications>
