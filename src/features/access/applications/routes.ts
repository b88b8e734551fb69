import { Done } from '../../../http/requests/body.ts'
import { protectedRoute } from '../../../http/route.ts'
import { OneById } from '../../../rules/ids.ts'
import { listOf } from '../../../rules/paging.ts'
import {
  createApplication,
  deleteApplication,
  listApplicationRefusals,
  listApplications,
  rotateSecret,
  updateApplication,
  wouldReachFurther,
} from './applications.ts'
import {
  Application,
  ApplicationChanges,
  ApplicationRefusal,
  Created,
  ListApplications,
  NewApplication,
  NewSecret,
  RotateSecret,
} from './input.ts'

export const applicationRoutes = [
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
    path: '/api/admin/create_application',
    summary: 'Register an application; returns its secret, once',
    scope: 'admin:applications:write',
    input: NewApplication,
    output: Created,
    needsFreshSession: async (_call, { key, skip_consent }) => skip_consent || key !== undefined,
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
