import type { Meta } from '../../../../database/store.ts'
import type { CallerUser } from '../../../../rules/caller.ts'
import { type GrantedScope, isGrantedScope, isIdentityScope, isProductScope } from '../../../../rules/scopes.ts'
import { holds } from '../../../../rules/staff.ts'
import type { Client } from '../../clients/client.ts'
import { stillDeclared } from '../../product-scopes/product-scopes.ts'

/** Every grant of the command-line client has these; they open no route by themselves. */
export const transportScopes = ['api_access', 'offline_access'] as const

const TRANSPORT: ReadonlySet<string> = new Set(transportScopes)

/** The scopes of a `scope` parameter, or why they are `invalid_scope`. */
export async function requestedScopes(
  meta: Meta,
  client: Client,
  text: string | undefined,
): Promise<readonly GrantedScope[] | { readonly fault: string }> {
  const asked = askedOf(client.kind, text)
  if (asked.length === 0) return { fault: 'Send at least one scope.' }
  const possible = asked.filter(isGrantedScope).filter((scope) => canAsk(client, scope))
  const scopes = await stillDeclared(meta, possible)
  const refused = asked.find((word) => !scopes.some((scope) => scope === word))
  return refused === undefined ? scopes : { fault: faultOf(client, refused) }
}

/** RFC 6749 allows no quotation marks in a description. */
const QUOTABLE = /^[\w:.-]{1,100}$/

function faultOf({ kind }: Client, word: string): string {
  const named = QUOTABLE.test(word) ? `the scope ${word}` : 'one of these scopes'
  return kind === 'tool'
    ? `This server does not have ${named}.`
    : `This application does not have ${named}; the administrator can add it, if it exists.`
}

/**
 * OpenID Connect Core section 5.4 has these scopes too, and many libraries request all of them. Users here have no
 * postal address or telephone number, so they are accepted and grant nothing.
 */
const WITHOUT_CLAIMS: ReadonlySet<string> = new Set(['address', 'phone'])

/** The requested scopes, each once, without the implied ones and those without claims. */
export function askedOf(kind: Client['kind'] | 'application' | 'personal', text = ''): readonly string[] {
  const words = new Set(text.split(' ').filter((scope) => scope !== ''))
  const left = kind === 'tool' ? TRANSPORT : WITHOUT_CLAIMS
  return [...words].filter((scope) => !left.has(scope))
}

function canAsk(client: Client, scope: GrantedScope): boolean {
  if (client.kind === 'tool') return !isIdentityScope(scope)
  return client.scopes.includes(scope) || (client.isGuest && isProductScope(scope))
}

/**
 * Narrows what a user granted: the administrator can have taken scopes from the application, or deleted one of the
 * product's.
 */
export function stillGiven(meta: Meta, { kind, isGuest, scopes }: Client, granted: string) {
  const isOfClient = (scope: GrantedScope) => kind === 'tool' || isGuest || scopes.includes(scope)
  return stillDeclared(meta, storedScopes(granted).filter(isOfClient))
}

/** The stored form: separated by spaces, without implied scopes. */
export function storedScopes(text: string): readonly GrantedScope[] {
  return text.split(' ').filter(isGrantedScope)
}

export function scopeParameter(scopes: readonly GrantedScope[], kind: string): string {
  return [...scopes, ...(kind === 'tool' ? transportScopes : [])].join(' ')
}

/** True for the command-line client, and for an application that asks for it. */
export function isOffline({ kind }: Client, scopes: readonly GrantedScope[]): boolean {
  return kind === 'tool' || scopes.includes('offline_access')
}

/** The first of these that the user cannot give to a program. */
export function scopeNotHeld(scopes: readonly GrantedScope[], user: CallerUser): GrantedScope | undefined {
  return scopes.find((scope) => !holds(user, scope))
}
