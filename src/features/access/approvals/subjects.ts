import type { Meta } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { CallerUser } from '../../../rules/caller.ts'
import { type RouteAction, routeActionOf, type Scope } from '../../../rules/scopes.ts'
import { holds } from '../../../rules/staff.ts'
import { namesOfWebhooks } from '../../delivery/webhooks/webhooks.ts'
import { titlesOfNotifications } from '../../operations/notifications/statements.ts'
import { namesOfReplies } from '../../operations/replies/statements.ts'
import { namesOfOrganizations } from '../../people/memberships/statements.ts'
import { namesOfUsers } from '../../people/users/statements.ts'
import { namesOfApplications } from '../clients/statements.ts'
import type { ListedApproval, SubjectKind } from './input.ts'

/** The input field of a route that names the target. */
export const SUBJECTS: { readonly [Action in RouteAction]?: readonly [SubjectKind, field: string] } = {
  'admin/get_user': ['user', 'id'],
  'admin/get_user_data': ['user', 'id'],
  'admin/update_user_data': ['user', 'id'],
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
  'admin/delete_reply': ['reply', 'id'],
  'admin/count_audience': ['user', 'target_user_id'],
  'admin/create_notification': ['user', 'target_user_id'],
  'admin/list_notifications': ['user', 'target_user_id'],
  'admin/update_notification': ['notification', 'id'],
  'admin/archive_notification': ['notification', 'id'],
  'admin/restore_notification': ['notification', 'id'],
  'admin/get_application': ['application', 'id'],
  'admin/update_application': ['application', 'id'],
  'admin/list_application_refusals': ['application', 'id'],
  'admin/get_receipt': ['user', 'id'],
  'admin/rotate_application_secret': ['application', 'id'],
  'admin/delete_application': ['application', 'id'],
  'admin/get_organization': ['organization', 'id'],
  'admin/update_organization': ['organization', 'id'],
  'admin/suspend_organization': ['organization', 'id'],
  'admin/restore_organization': ['organization', 'id'],
  'admin/delete_organization': ['organization', 'id'],
  'admin/get_organization_data': ['organization', 'id'],
  'admin/update_organization_data': ['organization', 'id'],
  'admin/list_organization_members': ['organization', 'organization_id'],
  'admin/invite_member': ['organization', 'organization_id'],
  'admin/create_organization': ['user', 'owner_id'],
  'admin/add_member': ['user', 'user_id'],
  'admin/update_member': ['user', 'user_id'],
  'admin/remove_member': ['user', 'user_id'],
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
  reply: namesOfReplies,
  organization: namesOfOrganizations,
  application: namesOfApplications,
  webhook: namesOfWebhooks,
  shard: idsAsNames,
  product_scope: idsAsNames,
}

/** The scope that shows a target of the kind. */
const READ_WITH: Readonly<Record<SubjectKind, Scope>> = {
  user: 'admin:users:read',
  notification: 'admin:notifications:read',
  application: 'admin:applications:read',
  webhook: 'admin:events:read',
  shard: 'admin:shards:read',
  reply: 'admin:feedback:read',
  organization: 'admin:organizations:read',
  product_scope: 'admin:applications:read',
}

interface PendingCall {
  readonly id: string
  readonly path: string
  readonly input: unknown
}

/**
 * The current name of each waiting call's target, by the call's id. Users who cannot read such a target get no name: it
 * could reveal what they are not allowed to see.
 */
export async function subjectsOf(
  { meta }: Pick<Platform, 'meta'>,
  user: CallerUser,
  waiting: readonly PendingCall[],
): Promise<(id: string) => Subject | null> {
  const named = waiting.flatMap(namedIn).filter(({ kind }) => holds(user, READ_WITH[kind]))
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
