import type { Meta } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { CallerUser } from '../../../rules/caller.ts'
import { type RouteAction, routeActionOf } from '../../../rules/scopes.ts'
import { namesOfWebhooks } from '../../delivery/webhooks/webhooks.ts'
import { titlesOfNotifications } from '../../operations/notifications/statements.ts'
import { namesOfUsers } from '../../people/users/statements.ts'
import { namesOfApplications } from '../clients/statements.ts'
import type { ListedApproval, SubjectKind } from './input.ts'

/** The input field of a route that names the target. */
export const SUBJECTS: { readonly [Action in RouteAction]?: readonly [SubjectKind, field: string] } = {
  'admin/get_user': ['user', 'id'],
  'admin/delete_user': ['user', 'id'],
  'admin/suspend_user': ['user', 'id'],
  'admin/restore_user': ['user', 'id'],
  'admin/move_user': ['user', 'id'],
  'admin/send_password_reset': ['user', 'id'],
  'admin/revoke_user_sessions': ['user', 'id'],
  'admin/revoke_user_grant': ['user', 'user_id'],
  'admin/list_user_grants': ['user', 'user_id'],
  'admin/list_user_credits': ['user', 'id'],
  'admin/give_credits': ['user', 'id'],
  'admin/update_feedback': ['user', 'user_id'],
  'admin/reply_to_feedback': ['user', 'user_id'],
  'admin/list_feedbacks': ['user', 'user_id'],
  'admin/list_audit_entries': ['user', 'user_id'],
  'admin/create_notification': ['user', 'target_user_id'],
  'admin/list_notifications': ['user', 'target_user_id'],
  'admin/update_notification': ['notification', 'id'],
  'admin/archive_notification': ['notification', 'id'],
  'admin/restore_notification': ['notification', 'id'],
  'admin/update_application': ['application', 'id'],
  'admin/list_application_refusals': ['application', 'id'],
  'admin/rotate_application_secret': ['application', 'id'],
  'admin/delete_application': ['application', 'id'],
  'admin/update_shard': ['shard', 'id'],
  'admin/update_webhook': ['webhook', 'id'],
  'admin/delete_webhook': ['webhook', 'id'],
  'admin/rotate_webhook_secret': ['webhook', 'id'],
  'admin/declare_product_scope': ['product_scope', 'scope'],
  'admin/test_webhook': ['webhook', 'id'],
  'admin/list_webhook_deliveries': ['webhook', 'webhook_id'],
}

type Names = ReadonlyMap<string, string>
type Subject = NonNullable<(typeof ListedApproval)['_output']['subject']>

const NAMES: Readonly<Record<SubjectKind, (meta: Meta, ids: readonly string[]) => Promise<Names>>> = {
  user: namesOfUsers,
  notification: titlesOfNotifications,
  application: namesOfApplications,
  webhook: namesOfWebhooks,
  shard: idsAsNames,
  product_scope: idsAsNames,
}

interface PendingCall {
  readonly id: string
  readonly path: string
  readonly input: unknown
}

/**
 * The current name of each waiting call's target, by the call's id. Only the administrator gets names: they could
 * reveal to anyone else what they are not allowed to see.
 */
export async function subjectsOf(
  { meta }: Pick<Platform, 'meta'>,
  { role }: CallerUser,
  waiting: readonly PendingCall[],
): Promise<(id: string) => Subject | null> {
  const named = role === 'administrator' ? waiting.flatMap(namedIn) : []
  const byKind = Map.groupBy(named, ({ kind }) => kind)
  const found = await Promise.all(
    [...byKind].map(async ([kind, some]) => {
      const names = await NAMES[kind](meta, [...new Set(some.map(({ id }) => id))])
      return some.flatMap(({ of, id }) => {
        const name = names.get(id)
        return name === undefined ? [] : [[of, { kind, id, name }] as const]
      })
    }),
  )
  const subjects = new Map<string, Subject>(found.flat())
  return (id) => subjects.get(id) ?? null
}

function namedIn({ id: of, path, input }: PendingCall) {
  const action = routeActionOf(path)
  const [kind, field] = (action && SUBJECTS[action]) ?? []
  if (!kind || !field || typeof input !== 'object' || input === null) return []
  const id: unknown = Reflect.get(input, field)
  return typeof id === 'string' ? [{ of, kind, id }] : []
}

/** The name of a shard or a permission is its id. */
async function idsAsNames(_: Meta, ids: readonly string[]): Promise<Names> {
  return new Map(ids.map((id) => [id, id]))
}
