import { z } from 'zod'
import { Done } from '../../../http/requests/body.ts'
import { protectedRoute, sessionRoute } from '../../../http/route.ts'
import { listOf, Page } from '../../../rules/paging.ts'
import {
  changesDescription,
  DeclaredScope,
  declareProductScope,
  deleteProductScope,
  listProductScopes,
  ScopeName,
} from './product-scopes.ts'

const Shown = z.object({ scope: z.string(), description: z.string() })

export const productScopeRoutes = [
  sessionRoute({
    method: 'POST',
    path: '/api/list_product_scopes',
    summary: "The product's own scopes that an access token of yours can have, with descriptions",
    input: Page,
    output: listOf(Shown),
    handle: listProductScopes,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_product_scopes',
    summary: "The product's own scopes, with descriptions",
    scope: 'admin:applications:read',
    input: Page,
    output: listOf(Shown),
    handle: listProductScopes,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/declare_product_scope',
    summary: 'Declare a product scope, or change its description',
    scope: 'admin:applications:write',
    input: DeclaredScope,
    output: Shown,
    needsFreshSession: changesDescription,
    handle: declareProductScope,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/delete_product_scope',
    summary: 'Delete a product scope; it can no longer be granted',
    scope: 'admin:applications:write',
    grants: 'refused',
    needsFreshSession: async () => true,
    input: ScopeName,
    output: Done,
    handle: (call, { scope }) => deleteProductScope(call, scope),
  }),
] as const
