import { z } from 'zod'
import { Nothing } from '../../../../http/requests/body.ts'
import { protectedRoute, publicRoute } from '../../../../http/route.ts'
import { currentSettings } from '../current-settings.ts'
import { pictureAnswer, sheetAnswer } from './files.ts'
import type { PictureName } from './look/look.ts'
import { digestOf } from './look/picture-file.ts'
import { sheetOf } from './look/sheet.ts'
import { listProductPages, ProductPages } from './product-pages.ts'

const OfVersion = z.object({ v: z.string().max(64).optional() })

function pictureRoute<Name extends PictureName>(name: Name, what: string) {
  return publicRoute({
    method: 'GET',
    path: `/api/brand/${name}`,
    summary: `${what} of this installation, as an image`,
    input: OfVersion,
    output: z.string(),
    described: { mediaType: 'image/*' },
    handle: async ({ platform }, { v }) => pictureAnswer((await currentSettings(platform)).brand[name], v),
  })
}

export const brandRoutes = [
  pictureRoute('logo', 'The logo'),
  pictureRoute('logo_dark', 'The logo on dark'),
  pictureRoute('favicon', 'The icon'),
  publicRoute({
    method: 'GET',
    path: '/api/brand/style',
    summary: 'The style sheet of this installation',
    input: OfVersion,
    output: z.string(),
    described: { mediaType: 'text/css' },
    handle: async ({ platform }, { v }) => {
      const sheet = sheetOf((await currentSettings(platform)).brand)
      return sheetAnswer(sheet, v === digestOf(sheet))
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
