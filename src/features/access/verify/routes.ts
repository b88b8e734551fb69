import { z } from 'zod'
import { Answer, redirect } from '../../../http/answers/answer.ts'
import { protect } from '../../../http/protect.ts'
import { Done } from '../../../http/requests/body.ts'
import { type Call, type ProtectedCall, publicRoute } from '../../../http/route.ts'
import { type Caller, tokenEndOf } from '../../../rules/caller.ts'
import { existing } from '../../../rules/permissions.ts'
import { invalidInput, Refusal } from '../../../rules/refusal.ts'
import { isProductScope, isScope } from '../../../rules/scopes.ts'
import { currentSettings } from '../../ground/settings/current-settings.ts'
import { areDeclared } from '../product-scopes/product-scopes.ts'
import { actingOf, isForProducts, subjectOf } from '../signed-tokens/for-products.ts'
import { findCallerBehindProduct } from '../signed-tokens/reading.ts'
import { approvalOf, roleOf } from '../signed-tokens/signed-token.ts'
import { signInAddress } from './sign-in-address.ts'

const Verify = z.object({
  scope: z.string().max(64).optional(),
  /** Repeated: all of them, in the active organisation. */
  permission: z.string().max(64).optional(),
  /** The id or slug of the organisation that has to be active. */
  organization: z.string().max(128).optional(),
  /** A signed-out browser is sent to sign in. */
  redirect: z.literal('sign-in').optional(),
})

const HEADERS = {
  'x-user-id': 'The id of the user.',
  'x-user-email': 'Their address.',
  'x-user-email-verified': '`true` or `false`.',
  'x-user-name': 'Percent-encoded.',
  'x-user-role': '`administrator` or `user`: what this credential can do here.',
  'x-user-shard': 'The shard of the user.',
  'x-auth-kind': '`session` or `grant`.',
  'x-auth-scopes': 'The scopes of a grant, separated by spaces.',
  'x-auth-id': 'The id of the session or grant, as `revocations` names it.',
  'x-auth-approval': 'What the user of a grant approves first: `none`, `writes` or `everything`.',
  'x-act-sub': 'The id of the administrator who acts as the user; empty if nobody does.',
  'x-auth-read-only': '`true` while the administrator may only look; else empty.',
  'x-org-id': 'The id of the active organisation; empty without one, like the three that follow.',
  'x-org-slug': 'Its slug.',
  'x-org-roles': 'The roles of the user there, separated by spaces.',
  'x-org-permissions': 'What these allow, separated by spaces.',
  'x-auth-expires': 'When this credential ends, in seconds since 1970.',
  'x-auth-ends': 'When its session or grant ends: no outage makes it last longer.',
}

export const verifyRoutes = [
  publicRoute({
    method: 'GET',
    path: '/api/verify',
    summary:
      'For reverse proxies: 200 with the caller in x-user-*, x-auth-*, x-act-* and x-org-* headers, or 401 or 403',
    input: Verify,
    output: Done,
    grants: 'accepted',
    described: { credential: 'required', headers: HEADERS },
    handle: async (call, { scope, organization, redirect: wanted }) => {
      const needed = await knownScope(call, scope)
      const allowed = await protect(call, { scope: needed }, findCallerBehindProduct).catch(async (error: unknown) => {
        const address = wanted && isSignedOut(error) ? await signInAddress(call) : undefined
        if (address === undefined) throw error
        return redirect(address)
      })
      if (allowed instanceof Answer) return allowed
      if (scope === undefined && !isForProducts(allowed.caller)) {
        throw new Refusal('INSUFFICIENT_SCOPE', 'This token has no scope of the product.')
      }
      const acting = await actingOf(call.platform, allowed.caller)
      refuseOutside(acting, organization)
      await refuseLacking(call, allowed.caller, acting)
      const headers = { ...headersOf(allowed, call.platform.now()), ...organizationHeaders(acting) }
      for (const [name, value] of Object.entries(headers)) call.exchange.setHeader(name, value)
      return {}
    },
  }),
] as const

type Acting = Awaited<ReturnType<typeof actingOf>>

function refuseOutside(acting: Acting, wanted: string | undefined): void {
  if (wanted === undefined || (acting && [acting.id, acting.slug].includes(wanted))) return
  throw new Refusal('INSUFFICIENT_PERMISSION', 'Another organisation is active, or none.')
}

async function refuseLacking({ exchange, platform }: Call, { settingsRevision }: Caller, acting: Acting) {
  const held: readonly string[] = acting?.permissions ?? []
  const lacking = exchange.parameters.getAll('permission').find((permission) => !held.includes(permission))
  if (lacking === undefined) return
  const { organizations } = await currentSettings(platform, settingsRevision)
  throw new Refusal('INSUFFICIENT_PERMISSION', reasonOf(lacking, acting, existing(organizations)))
}

function reasonOf(lacking: string, acting: Acting, all: ReadonlySet<string>): string {
  if (!all.has(lacking)) return 'The settings declare no such permission.'
  return acting ? `A role with the permission ${lacking} is needed.` : 'This session or token acts in no organisation.'
}

function organizationHeaders(acting: Acting) {
  return {
    'x-org-id': acting?.id ?? '',
    'x-org-slug': acting?.slug ?? '',
    'x-org-roles': acting?.roles.join(' ') ?? '',
    'x-org-permissions': acting?.permissions.join(' ') ?? '',
  }
}

function isSignedOut(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'UNAUTHORIZED'
}

/** A scope of this service, or a declared product scope. */
async function knownScope({ platform }: Call, scope: string | undefined) {
  if (scope === undefined || isScope(scope)) return scope
  if (isProductScope(scope) && (await areDeclared(platform.meta, [scope]))) return scope
  throw invalidInput('scope', 'scope: This scope does not exist; product scopes are declared first.')
}

/**
 * Always sends all of them, even empty ones, so that a proxy that copies them overwrites any that its own
 * caller sent.
 */
function headersOf({ caller, shard }: ProtectedCall, now: number): Readonly<Record<string, string>> {
  const { credential } = caller
  const { id, email, emailVerified, name } = subjectOf(caller)
  return {
    'x-user-id': id,
    'x-user-email': asciiOf(email),
    'x-user-email-verified': String(emailVerified),
    'x-user-name': encodeURIComponent(name.toWellFormed()),
    'x-user-role': roleOf(caller),
    'x-user-shard': shard.name,
    'x-auth-kind': credential.kind,
    'x-auth-scopes': credential.kind === 'grant' ? credential.scopes.join(' ') : '',
    'x-auth-id': credential.id,
    'x-auth-approval': approvalOf(caller),
    'x-act-sub': caller.actor?.id ?? '',
    'x-auth-read-only': caller.actor?.isReadOnly ? 'true' : '',
    'x-auth-expires': inSeconds(endOf(caller, now)),
    'x-auth-ends': inSeconds(latestEndOf(caller, now)),
  }
}

function inSeconds(milliseconds: number): string {
  return String(Math.floor(milliseconds / 1_000))
}

const EXCHANGED_MILLISECONDS = 5_000

/** The revocation feed does not report exchanged tokens that end on their own, so they are cached only briefly. */
function endOf({ credential }: Caller, now: number): number {
  const end = tokenEndOf(credential)
  return isExchanged(credential) ? Math.min(end, now + EXCHANGED_MILLISECONDS) : end
}

/** How long an outage can make it count. An exchanged token ends with another one, so with it nothing is lent. */
function latestEndOf(caller: Caller, now: number): number {
  return isExchanged(caller.credential) ? endOf(caller, now) : caller.credential.expiresAt
}

function isExchanged(credential: Caller['credential']): boolean {
  return credential.kind === 'grant' && credential.act !== null
}

/** An address from a provider can contain characters that a header cannot. */
function asciiOf(email: string): string {
  return email.replace(/[^!-~]+/g, encodeURIComponent)
}
