import { z } from 'zod'
import { Answer } from '../../../../http/answers/answer.ts'
import { Nothing } from '../../../../http/requests/body.ts'
import { protectedRoute, publicRoute } from '../../../../http/route.ts'
import { Refusal } from '../../../../rules/refusal.ts'
import { currentSettings } from '../current-settings.ts'
import { logoFile } from './logo.ts'
import { listProductPages, ProductPages } from './product-pages.ts'

/** An image that is opened on its own is a document, so it must not run or fetch anything. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"

export const brandRoutes = [
  publicRoute({
    method: 'GET',
    path: '/api/brand/logo',
    summary: 'The logo of this installation, as an image',
    input: z.object({ v: z.string().max(64).optional() }),
    output: z.string(),
    described: { mediaType: 'image/*' },
    handle: async ({ platform }, { v }) => {
      const { brand } = await currentSettings(platform)
      if (!brand.logo) throw new Refusal('NOT_FOUND', 'There is no logo.')
      const { bytes, type } = logoFile(brand.logo)
      return new Answer(bytes, 200, {
        'content-type': type,
        'content-security-policy': POLICY,
        'cache-control': v === brand.logo.digest ? 'public, max-age=31536000, immutable' : 'public, max-age=300',
        'cross-origin-resource-policy': 'cross-origin',
      })
    },
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_product_pages',
    summary: 'The origins of pages that have loaded the elements, and when they last did',
    scope: 'config:brand:read',
    input: Nothing,
    output: ProductPages,
    handle: ({ platform }) => listProductPages(platform),
  }),
] as const
