import { z } from 'zod'
import { Answer, redirect } from '../../../http/answers/answer.ts'
import { protect } from '../../../http/protect.ts'
import { Done } from '../../../http/requests/body.ts'
import { type Call, type ProtectedCall, publicRoute } from '../../../http/route.ts'
import type { Caller } from '../../../rules/caller.ts'
import { invalidInput, Refusal } from '../../../rules/refusal.ts'
import { isProductScope, isScope } from '../../../rules/scopes.ts'
import { areDeclared } from '../product-scopes/product-scopes.ts'
import { isForProducts, subjectOf } from '../signed-tokens/for-products.ts'
import { findCallerBehindProduct } from '../signed-tokens/reading.ts'
import { approvalOf, roleOf } from '../signed-tokens/signed-token.ts'
import { signInAddress } from './sign-in-address.ts'

const Verify = z.object({
  scope: z.string().max(64).optional(),
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
  'x-auth-expires': 'When this credential ends, in seconds since 1970.',
}

export const verifyRoutes = [
  publicRoute({
    method: 'GET',
    path: '/api/verify',
    summary: 'For reverse proxies: 200 with the caller in x-user-* and x-auth-* headers, or 401 or 403',
    input: Verify,
    output: Done,
    grants: 'accepted',
    described: { credential: 'required', headers: HEADERS },
    handle: async (call, { scope, redirect: wanted }) => {
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
      for (const [name, value] of Object.entries(headersOf(allowed, call.platform.now())))
        call.exchange.setHeader(name, value)
      return {}
    },
  }),
] as const

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
    'x-auth-expires': String(Math.floor(endOf(caller, now) / 1_000)),
  }
}

const EXCHANGED_MILLISECONDS = 5_000

/** The revocation feed does not report exchanged tokens that end on their own, so they are cached only briefly. */
function endOf({ credential }: Caller, now: number): number {
  if (credential.kind === 'session') return credential.expiresAt
  const { tokenExpiresAt, act } = credential
  return act ? Math.min(tokenExpiresAt, now + EXCHANGED_MILLISECONDS) : tokenExpiresAt
}

/** An address from a provider can contain characters that a header cannot. */
function asciiOf(email: string): string {
  return email.replace(/[^!-~]+/g, encodeURIComponent)
}
