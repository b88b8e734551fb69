import { useDevice } from '../device.ts'
import { ownNameOf } from '../own-name.ts'
import { call, type Input, type Output } from '../server/api.ts'
import { useTexts } from '../texts/texts.tsx'
import { wordOf } from '../texts/word-of.ts'
import type { IconName } from '../ui/icon.tsx'

export type Found = Output<'/api/admin/find'>['items'][number]

export const findKey = ['console', 'find']

export const findQuery = (asked: Input<'/api/admin/find'>) => ({
  queryKey: [...findKey, asked],
  queryFn: () => call('/api/admin/find', asked),
  // What a secret opens can have ended since, and nothing of it is kept.
  gcTime: 0,
})

const looks: Readonly<Record<Found['kind'], IconName>> = {
  user: 'user',
  session: 'globe',
  trusted_device: 'device',
  pending_sign_in: 'clock',
  passkey: 'key',
  approval: 'check',
  access_token: 'key',
  refresh_token: 'key',
  personal_token: 'key',
  connection: 'terminal',
  authorization_code: 'clock',
  device_code: 'clock',
  authorization_request: 'clock',
  application: 'gate',
  application_secret: 'gate',
  product_scope: 'shield',
  webhook: 'link',
  delivery: 'link',
  notification: 'mail',
  feedback: 'inbox',
  credit_entry: 'coins',
  beta_code: 'ticket',
  audit_entry: 'scroll',
  shard: 'layers',
}

/** The page that shows it; undefined if none does, as for a request of nobody yet. */
function pathOf({ kind, id, owner }: Found): string | undefined {
  const ofUser = owner ? `/console/users/${owner.id}` : undefined
  switch (kind) {
    case 'application':
    case 'application_secret':
      return `/console/applications/${encodeURIComponent(id)}`
    case 'product_scope':
      return '/console/applications'
    case 'webhook':
      return `/console/webhooks/${id}`
    case 'delivery':
      return '/console/webhooks'
    case 'notification':
      return `/console/notifications?open=${id}`
    case 'feedback':
      return owner ? `/console/feedback?user_id=${owner.id}&open=${id}` : '/console/feedback'
    case 'beta_code':
      return `/console/beta-codes?search=${id}`
    case 'audit_entry':
      return owner ? `/console/audit?actor_id=${owner.id}` : '/console/audit'
    case 'shard':
      return '/console/shards'
    default:
      return ofUser
  }
}

/** Name, place and icon of what was found. */
export function useFoundWords() {
  const { found, audit, palette } = useTexts()
  const device = useDevice()
  const titleOf = ({ kind, title }: Found) => {
    if (kind === 'session' || kind === 'trusted_device') return device(title || null)
    return kind === 'audit_entry' ? wordOf(audit.actions, title) : title
  }
  return (item: Found) => {
    const { kind, owner } = item
    const place = { to: pathOf(item), icon: looks[kind] }
    return kind === 'user' && owner
      ? { ...place, title: palette.person(owner.email), detail: ownNameOf(owner) }
      : { ...place, title: found.named(found.kinds[kind], titleOf(item)), detail: owner?.email ?? '' }
  }
}

/** The one act that takes away what a secret opens; each is a question on the page of its owner. */
export function useActAgainst() {
  const { found } = useTexts()
  return ({ kind, id, title, owner }: Found): { readonly to: string; readonly title: string } | undefined => {
    if (kind === 'application_secret')
      return { to: `/console/applications/${encodeURIComponent(id)}?open=rotate`, title: found.replace(title) }
    if (!owner) return undefined
    const page = `/console/users/${owner.id}`
    if (kind.endsWith('_token')) return { to: `${page}?open=revoke-${id}`, title: found.revoke(title, owner.email) }
    return { to: `${page}?open=end-sessions`, title: found.end(owner.email) }
  }
}
