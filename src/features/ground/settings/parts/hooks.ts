import { z } from 'zod'
import type { Config } from '../../../../config/config.ts'
import { ENDPOINT_SECRET } from '../../../../platform/endpoints/signature.ts'
import { AddressRefused, addressesOutside } from '../../../../platform/public-addresses.ts'
import { isClaimName, isReservedClaim } from '../../../../rules/claims.ts'
import { EndpointUrl } from '../../../../rules/endpoint-url.ts'
import { recordOf } from '../../../../rules/free-form.ts'
import { JsonValue } from '../../../../rules/json-object.ts'
import type { Flat } from '../documents.ts'
import { changeTo, partFields, plain, secret } from './fields.ts'
import { newUnseen, secretIn } from './hook-secret.ts'
import { settingsPart } from './part.ts'

/** What the product is asked before, and where it is asked. */
export const HOOKS = ['before_sign_up', 'before_sign_in', 'before_token'] as const
export type HookName = (typeof HOOKS)[number]

const OnFailure = z.enum(['refuse', 'allow'])

const Hook = z.object({
  enabled: z.boolean().default(false),
  url: z.string().default(''),
  timeout_ms: z.number().default(1_000),
  /** Has no default: enabling a hook needs the choice. */
  on_failure: OnFailure.nullable().default(null),
})
export type Hook = z.output<typeof Hook>

const hook = {
  stored: Hook.prefault({}),
  sent: z.object({
    enabled: z.boolean().optional(),
    url: z.union([z.literal(''), EndpointUrl]).optional(),
    timeout_ms: z.int().min(100).max(3_000).optional(),
    on_failure: OnFailure.nullable().optional(),
  }),
  whole: Hook.required(),
  guarded: true,
} as const

/** Signs what the hook is asked. */
const hookSecret = {
  ...secret,
  sent: changeTo(z.string().regex(ENDPOINT_SECRET, 'A secret is whsec_ and 24 to 64 bytes in base64.')),
  guarded: true,
} as const

const MOST_CLAIMS = 20

const ClaimName = z
  .string()
  .refine(isClaimName, 'A claim’s name has up to 128 characters on one line.')
  .refine((name) => !isReservedClaim(name), 'This name has a meaning of its own.')

const ClaimSource = z.union([
  z
    .string()
    .max(256)
    .regex(/^(user|organization)\.public(\.[^.]+)+$/, 'Write user.public.NAME, organization.public.NAME or a value.'),
  z.strictObject({ value: JsonValue }),
])
export type ClaimSource = z.output<typeof ClaimSource>

export const Claims = recordOf(ClaimName, ClaimSource).refine(
  (claims) => Object.keys(claims).length <= MOST_CLAIMS,
  `There can be at most ${MOST_CLAIMS} claims.`,
)

export const hooksFields = partFields({
  before_sign_up: hook,
  before_sign_in: hook,
  before_token: hook,
  before_sign_up_secret: hookSecret,
  before_sign_in_secret: hookSecret,
  before_token_secret: hookSecret,
  /** Claims of tokens about a user, each with its source. */
  claims: { stored: z.record(z.string(), ClaimSource).default({}), sent: Claims, guarded: true },
  /** Whether users see and change their own data in their account. */
  own_data_shown: plain(z.boolean().default(false)),
})

export const hooks = settingsPart('hooks', hooksFields, {
  // Each field decides who can sign in, or what a product believes.
  updates: { grants: 'refused' },
  madeSecrets,
  secretIn,
  faults: ({ config }, { hooks }) =>
    HOOKS.flatMap((name) => {
      const { enabled, url, on_failure } = hooks[name]
      const refused = url === '' ? undefined : refusalOf(config, url)
      return [
        { if: enabled && url === '', path: `${name}.url`, message: 'An enabled hook needs an address.' },
        {
          if: enabled && on_failure === null,
          path: `${name}.on_failure`,
          message: 'Choose what happens while the hook fails: refuse or allow.',
        },
        {
          if: enabled && hooks[`${name}_secret`] === '',
          path: `${name}_secret`,
          message: 'An enabled hook needs a secret to sign with.',
        },
        { if: refused !== undefined, path: `${name}.url`, message: refused ?? '' },
      ]
    }),
})

function madeSecrets(now: Flat, sent: Flat) {
  const missing = HOOKS.filter((name) => sent[name] !== undefined && now[`${name}_secret`] === '')
  return Object.fromEntries(missing.map((name) => [`${name}_secret`, newUnseen()]))
}

/** What is known without a look-up; what a name resolves to is checked at each connection. */
function refusalOf({ webhookNetworks }: Config, url: string): string | undefined {
  try {
    addressesOutside(webhookNetworks).refuseKnown(new URL(url))
    return undefined
  } catch (error) {
    if (error instanceof AddressRefused) return error.message
    throw error
  }
}
