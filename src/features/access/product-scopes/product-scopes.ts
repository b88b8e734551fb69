import { z } from 'zod'
import type { Meta } from '../../../database/store.ts'
import { requireFresh } from '../../../http/freshness.ts'
import type { ProtectedCall } from '../../../http/route.ts'
import { faultOfWords } from '../../../rules/imitation.ts'
import { nameOf } from '../../../rules/names.ts'
import { type Page, pageOf } from '../../../rules/paging.ts'
import { invalidInput, Refusal } from '../../../rules/refusal.ts'
import { type GrantedScope, IDENTITY_SCOPES, isIdentityScope, isProductScope, SCOPES } from '../../../rules/scopes.ts'
import { type Act, decide } from '../../ground/acts/acts.ts'
import * as store from './store.ts'

/** All scopes are read to check one token. */
export const MOST_SCOPES = 500
export const NO_ROOM = `There can be ${MOST_SCOPES} product scopes. Delete one first.`

const ProductScopeName = z.string().refine(isProductScope, 'Use the form product:<area>:read or product:<area>:write.')

export const DeclaredScope = z.object({
  scope: ProductScopeName,
  description: nameOf(200),
})
export type DeclaredScope = z.output<typeof DeclaredScope>

export const ScopeName = z.object({ scope: ProductScopeName })

export async function listProductScopes({ platform }: Pick<ProtectedCall, 'platform'>, page: Page) {
  const scopes = await store.allScopes(platform.meta).execute()
  return pageOf(
    scopes.map(({ scope, description }) => ({ scope, description })),
    page,
  )
}

/** The decision checks this again. */
export async function changesDescription({ platform }: ProtectedCall, { scope, description }: DeclaredScope) {
  const declared = await store.scopesAmong(platform.meta, [scope])
  return declared.some((row) => row.description !== description)
}

/** A description that users have consented to can be changed in a fresh session only. */
export async function declareProductScope(call: ProtectedCall, { scope, description }: DeclaredScope) {
  const { platform, caller } = call
  const { meta, now } = platform
  const fault = caller.credential.kind === 'grant' ? faultOfWords(description) : undefined
  if (fault !== undefined) throw invalidInput('description', fault)
  const read = [store.lockScopes(meta), store.countScopes(meta), store.lockedScope(meta, scope)] as const
  await decide(call, read, async (act, _, [counted], [held]) => {
    if (!held && (!counted || counted.scopes >= MOST_SCOPES)) throw new Refusal('QUOTA_EXCEEDED', NO_ROOM)
    if (!(await act.first(store.declareScope(meta, scope, description, now())))) {
      requireFresh(call)
      act.write(store.describeScope(meta, scope, description))
    }
    recordDeclaration(act, scope, description)
  })
  return { scope, description }
}

export function recordDeclaration(act: Act, scope: string, description: string): void {
  act.record('product_scope.declare', { subject: { type: 'product_scope', id: scope }, details: { description } })
}

/**
 * The data of the event `settings.saved` for a change that can take scopes from any token, so that verifiers that
 * remember tokens ask again. The part is not one of the settings, but is announced like one.
 */
export const SCOPES_CHANGED = { part: 'scopes' } as const

/** After this, clients cannot request the scope, and checks of tokens no longer report it. */
export async function deleteProductScope(call: ProtectedCall, scope: string): Promise<void> {
  const { meta } = call.platform
  await decide(call, [store.lockedScope(meta, scope)], async (act, [declared]) => {
    if (!declared) throw new Refusal('NOT_FOUND', 'This scope is not declared.')
    writeDeletion(act, meta, scope)
  })
}

export function writeDeletion(act: Act, meta: Meta, scope: string): void {
  act.write(store.deleteScope(meta, scope))
  act.record('product_scope.delete', { subject: { type: 'product_scope', id: scope }, data: SCOPES_CHANGED })
}

/** False if one of them is a product scope that is not declared. */
export async function areDeclared(meta: Meta, scopes: readonly GrantedScope[]): Promise<boolean> {
  const ofProduct = scopes.filter(isProductScope)
  if (ofProduct.length === 0) return true
  return (await store.scopesAmong(meta, ofProduct)).length === new Set(ofProduct).size
}

/** Drops scopes that the administrator has deleted since they were granted. */
export async function stillDeclared(meta: Meta, scopes: readonly GrantedScope[]) {
  if (!scopes.some(isProductScope)) return scopes
  const declared = await store.declaredScopes(meta)
  return scopes.filter((scope) => !isProductScope(scope) || declared.has(scope))
}

/** Adds descriptions, for the consent page. */
export async function describedScopes(meta: Meta, scopes: readonly GrantedScope[]) {
  const ofProduct = scopes.filter(isProductScope)
  const declared = ofProduct.length === 0 ? [] : await store.scopesAmong(meta, ofProduct)
  const words = new Map(declared.map(({ scope, description }) => [scope, description]))
  return scopes.map((scope) => ({ scope, description: wordsOf(scope, words) }))
}

function wordsOf(scope: GrantedScope, ofProduct: ReadonlyMap<string, string>): string {
  if (isProductScope(scope)) return ofProduct.get(scope) ?? scope
  return isIdentityScope(scope) ? IDENTITY_SCOPES[scope] : SCOPES[scope]
}
