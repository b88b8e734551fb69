import { z } from 'zod'
import { Done } from '../../../http/requests/body.ts'
import { protectedRoute, publicRoute } from '../../../http/route.ts'
import { Id, OneById } from '../../../rules/ids.ts'
import { listOf } from '../../../rules/paging.ts'
import { pictureAnswer, sheetAnswer } from '../../ground/settings/brand/files.ts'
import { ShownLook } from '../../ground/settings/brand/input.ts'
import type { PictureName } from '../../ground/settings/brand/look/look.ts'
import { digestOf } from '../../ground/settings/brand/look/picture-file.ts'
import { sheetOf } from '../../ground/settings/brand/look/sheet.ts'
import { settingsOf } from '../../ground/settings/current-settings.ts'
import { findPicture } from '../clients/statements.ts'
import {
  createApplication,
  deleteApplication,
  getApplicationInUse,
  listApplicationRefusals,
  listApplications,
  rotateSecret,
  updateApplication,
  wouldReachFurther,
} from './applications.ts'
import { applicationLook, applicationStyle } from './brand.ts'
import {
  Application,
  ApplicationChanges,
  ApplicationInUse,
  ApplicationRefusal,
  Created,
  ListApplications,
  NewApplication,
  NewSecret,
  RotateSecret,
} from './input.ts'

/** Room for three pictures as text. */
const LARGEST_BYTES = 1024 * 1024

const OfApplication = z.object({ client_id: Id, v: z.string().max(64).optional() })

function pictureRoute<Name extends PictureName>(name: Name, what: string) {
  return publicRoute({
    method: 'GET',
    path: `/api/brand/application_${name}`,
    summary: `${what} of an application's brand, as an image`,
    input: OfApplication,
    output: z.string(),
    described: { mediaType: 'image/*' },
    handle: async ({ platform }, { client_id, v }) =>
      pictureAnswer(await findPicture(platform.meta, client_id, name), v),
  })
}

export const applicationRoutes = [
  pictureRoute('logo', 'The logo'),
  pictureRoute('logo_dark', 'The logo on dark'),
  pictureRoute('favicon', 'The icon'),
  publicRoute({
    method: 'GET',
    path: '/api/brand/application_style',
    summary: 'The style sheet of pages that lead to an application',
    input: OfApplication,
    output: z.string(),
    described: { mediaType: 'text/css' },
    handle: async (call, { client_id, v }) => {
      const sheet = sheetOf(await applicationStyle(call.platform, await settingsOf(call), client_id))
      return sheetAnswer(sheet, v === digestOf(sheet))
    },
  }),
  publicRoute({
    method: 'GET',
    path: '/api/brand/application',
    summary: 'How pages look that lead to an application; null if it has no brand of its own',
    input: z.object({ client_id: z.string().max(2048) }),
    output: z.object({ look: ShownLook.nullable() }),
    handle: async (call, { client_id }) => {
      const found = await applicationLook(call.platform, await settingsOf(call), client_id)
      return { look: found?.look ?? null }
    },
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_applications',
    summary: 'The registered applications, newest first',
    scope: 'admin:applications:read',
    input: ListApplications,
    output: listOf(Application),
    handle: listApplications,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/get_application',
    summary: 'One application, the number of its users, and the latest sign-ins at it',
    scope: 'admin:applications:read',
    input: OneById,
    output: ApplicationInUse,
    handle: (call, { id }) => getApplicationInUse(call, id),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/create_application',
    summary: 'Register an application; returns its secret, once',
    scope: 'admin:applications:write',
    input: NewApplication,
    output: Created,
    needsFreshSession: async (_call, { key, skip_consent, brand }) =>
      skip_consent || key !== undefined || typeof brand?.css === 'string',
    largestBodyBytes: LARGEST_BYTES,
    handle: createApplication,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/update_application',
    summary: 'Change an application, except its kind',
    scope: 'admin:applications:write',
    input: ApplicationChanges,
    output: Application,
    needsFreshSession: wouldReachFurther,
    largestBodyBytes: LARGEST_BYTES,
    handle: updateApplication,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/list_application_refusals',
    summary: 'The refused requests of an application in the last day, newest first, at most 100',
    scope: 'admin:applications:read',
    input: OneById,
    output: listOf(ApplicationRefusal),
    handle: (call, { id }) => listApplicationRefusals(call, id),
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/rotate_application_secret',
    summary: 'Rotate the secret, which is shown once; the old one and the tokens of a service stop working',
    scope: 'admin:applications:write',
    input: RotateSecret,
    output: NewSecret,
    handle: rotateSecret,
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/delete_application',
    summary: 'Delete an application; all access through it ends at once',
    scope: 'admin:applications:write',
    input: OneById,
    output: Done,
    handle: (call, { id }) => deleteApplication(call, id),
  }),
] as const
