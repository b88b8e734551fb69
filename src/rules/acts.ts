import type { Change } from './changes.ts'
import type { EventType } from './event-types.ts'

/**
 * Acts of people and the service, and their effects: an entry in the audit log, with its group and words in the
 * console; an event for products; a letter to the account's owner. `letters` and `events` list those from which the act
 * chooses one, or none.
 */
export const ACTS = {
  signIns: {
    'session.revoke': {
      words: 'Signed out a device',
      letters: ['signed out elsewhere', 'signed out everywhere'],
    },
    'user.revoke_sessions': { words: 'Signed a user out', letter: 'signed out everywhere' },
    'user.sign_in': { words: 'Signed in' },
    'impersonation.start': {
      words: 'Acted as a user',
      event: 'impersonation.started',
      letters: ['acted as you'],
    },
    'user.sign_in_refused': { words: 'Sign-in refused' },
    'user.sign_up_refused': { words: 'Sign-up refused: the address is taken' },
  },
  people: {
    'account.link': { words: 'Connected an account', letter: 'provider linked' },
    'account.unlink': { words: 'Disconnected an account', letter: 'provider unlinked' },
    'beta_codes.generate': { words: 'Generated invitation codes' },
    'user.delete': { words: 'Deleted a user', event: 'user.deleted' },
    'user.erased': { words: 'User’s data erased' },
    'credit.give': { words: 'Gave credits', event: 'credit.granted' },
    'user.mark_verified': { words: 'Marked an address as confirmed', event: 'user.verified' },
    'user.update_data': { words: 'Changed a user’s data', event: 'user.data_updated' },
    'user.move': { words: 'Moved a user to another shard' },
    'user.verify_email': { words: 'Confirmed the email address' },
    'user.suspend': { words: 'Suspended a user', event: 'user.suspended' },
    'user.restore': { words: 'Restored a user', event: 'user.restored' },
    'staff.add': { words: 'Added a staff member', event: 'staff.added', letter: 'staff added' },
    'staff.update': { words: 'Changed a staff member’s permissions', event: 'staff.updated', letter: 'staff changed' },
    'staff.remove': { words: 'Removed a staff member', event: 'staff.removed', letter: 'staff removed' },
    'user.create': { words: 'Created a user' },
    'user.invite': { words: 'Invited a user' },
    'user.accept_invitation': { words: 'Accepted the invitation', letter: 'invitation accepted' },
  },
  security: {
    'administrator.reset_password': {
      words: 'Administrator’s password reset on the host',
      letter: 'password reset on the host',
    },
    'administrator.set_address': {
      words: 'Changed the administrator’s address on the host',
      event: 'user.updated',
      letter: 'address changed on the host',
    },
    'user.change_password': { words: 'Changed the password', letter: 'password changed' },
    'user.password_breached': { words: 'Found the password in a list of stolen ones', letter: 'password breached' },
    'user.ask_email_change': { words: 'Asked for another address', letter: 'address change asked for' },
    'user.change_email': { words: 'Changed the address', event: 'user.updated' },
    'user.secure': { words: 'Secured the account by letter' },
    'user.reset_password': { words: 'Reset the password', letter: 'password reset' },
    'user.send_reset': { words: 'Sent a password reset' },
    'factor.add': {
      words: 'Added a second factor',
      event: 'factor.added',
      letters: ['totp added', 'passkey added'],
    },
    'factor.remove': {
      words: 'Removed a second factor',
      event: 'factor.removed',
      letters: ['totp removed', 'passkey removed'],
    },
    'factor.rename': { words: 'Renamed a passkey' },
    'factor.reset': {
      words: 'Removed all second factors',
      event: 'factor.removed',
      letter: 'factors removed',
    },
    'factor.backup_codes': { words: 'Generated new backup codes', letter: 'backup codes renewed' },
    'factor.copy_refused': { words: 'Refused a passkey that may be a copy', letters: ['passkey copied'] },
    'factor.revoke_trust': { words: 'Stopped trusting a device', letter: 'device no longer trusted' },
  },
  access: {
    'authorization.approved': {
      words: 'Approved a request for access',
      letters: ['tool connected', 'application connected'],
    },
    'authorization.denied': { words: 'Denied a request for access' },
    'application.create': { words: 'Registered an application' },
    'application.update': { words: 'Changed an application', events: ['settings.saved'] },
    'application.rotate_secret': { words: 'Gave an application a new secret' },
    'application.delete': { words: 'Deleted an application' },
    'product_scope.declare': { words: 'Declared a permission of the product' },
    'product_scope.delete': { words: 'Deleted a permission of the product', event: 'settings.saved' },
    'personal_token.created': { words: 'Created an access token', event: 'grant.created', letter: 'token made' },
    'grant.made': { words: 'Connected a tool', event: 'grant.created' },
    'grant.revoked': {
      words: 'Access revoked',
      event: 'grant.revoked',
      letters: ['tool disconnected', 'token revoked'],
    },
    'grant.exchange': { words: 'Exchanged a tool’s token' },
    'grant.update': { words: 'Changed a tool’s limits' },
    'approval.approved': { words: 'Approved a tool’s action' },
    'approval.denied': { words: 'Denied a tool’s action' },
  },
  organizations: {
    'organization.create': { words: 'Created an organisation', event: 'organization.created' },
    'organization.update': { words: 'Changed an organisation', event: 'organization.updated' },
    'organization.update_data': { words: 'Changed an organisation’s data', event: 'organization.data_updated' },
    'organization.delete': { words: 'Deleted an organisation', event: 'organization.deleted' },
    'organization_role.create': { words: 'Made a role', event: 'organization_role.created' },
    'organization_role.update': { words: 'Changed a role', event: 'organization_role.updated' },
    'organization_role.delete': { words: 'Deleted a role', event: 'organization_role.deleted' },
    'member.add': { words: 'Added a member', event: 'member.added', letters: ['ownership gained'] },
    'member.update': {
      words: 'Changed a member’s roles',
      event: 'member.updated',
      letters: ['ownership gained', 'ownership lost'],
    },
    'member.remove': { words: 'Removed a member', event: 'member.removed', letters: ['removed from organisation'] },
    'invitation.create': { words: 'Invited somebody to an organisation', event: 'invitation.created' },
    'invitation.resend': { words: 'Sent an invitation to an organisation again' },
    'invitation.accept': { words: 'Accepted an invitation to an organisation', event: 'invitation.accepted' },
    'invitation.reject': { words: 'Rejected an invitation to an organisation', event: 'invitation.rejected' },
    'invitation.cancel': { words: 'Canceled an invitation to an organisation', event: 'invitation.canceled' },
    'organization.suspend': { words: 'Suspended an organisation', event: 'organization.suspended' },
    'organization.restore': { words: 'Restored an organisation', event: 'organization.restored' },
    'team.create': { words: 'Made a team', event: 'team.created' },
    'team.update': { words: 'Changed a team', event: 'team.updated' },
    'team.delete': { words: 'Deleted a team', event: 'team.deleted' },
    'team_member.add': { words: 'Added a member to a team', event: 'team_member.added' },
    'team_member.remove': { words: 'Took a member from a team', event: 'team_member.removed' },
  },
  conversation: {
    'feedback.update': { words: 'Changed feedback', event: 'feedback.updated' },
    'feedback.reply': { words: 'Answered feedback' },
    'reply.save': { words: 'Saved a reply' },
    'reply.delete': { words: 'Deleted a saved reply' },
    'notification.archive': { words: 'Archived a notification', events: ['notification.archived'] },
    'notification.restore': { words: 'Restored a notification', events: ['notification.published'] },
    'notification.create': { words: 'Published a notification', events: ['notification.published'] },
    'notification.update': { words: 'Changed a notification' },
  },
  service: {
    'webhook.create': { words: 'Added a webhook' },
    'webhook.update': { words: 'Changed a webhook' },
    'webhook.delete': { words: 'Removed a webhook' },
    'webhook.rotate_secret': { words: 'Rotated a webhook’s secret' },
    'webhook.test': { words: 'Tested a webhook' },
    'webhook.redeliver': { words: 'Sent deliveries again' },
    'webhook.switched_off': { words: 'Webhook switched off' },
    'settings.update': { words: 'Changed settings', event: 'settings.saved' },
    'view.save': { words: 'Saved a view' },
    'view.delete': { words: 'Deleted a view' },
    'shard.add': { words: 'Added a shard' },
    'shard.replace': { words: 'Replaced a lost shard' },
    'shard.update': { words: 'Changed a shard' },
    'signing_keys.rotate': { words: 'Replaced the signing keys' },
    'signing_keys.withdraw': { words: 'Withdrew the signing keys' },
  },
  /** The acts that the audit log does not list. */
  unlisted: {
    'address.taken_up': { letter: 'address taken up' },
    'address.wanted': { letter: 'address wanted by another' },
    'backup_code.used': { letter: 'backup code used' },
    'beta_code.bound': { event: 'beta_code.bound' },
    'credit.granted': { event: 'credit.granted' },
    'device.trusted': { letter: 'device trusted' },
    'factor.first': { event: 'factor.added' },
    'grant.created': { event: 'grant.created' },
    'impersonation.ended': { event: 'impersonation.ended' },
    'feedback.created': { event: 'feedback.created' },
    'notification.published': { event: 'notification.published' },
    'organization.data_updated': { event: 'organization.data_updated' },
    'staff.added': { letter: 'colleague added' },
    'staff.updated': { letter: 'colleague changed' },
    'staff.removed': { letter: 'colleague removed' },
    'second_step.failed_often': { letter: 'wrong second steps' },
    'session.created': { event: 'session.created' },
    'session.updated': { event: 'session.updated' },
    'session.unfamiliar': { letter: 'unfamiliar sign-in' },
    'user.claimed': { letter: 'verified in another browser' },
    'user.created': { event: 'user.created' },
    'user.suspended': { event: 'user.suspended' },
    'user.data_updated': { event: 'user.data_updated' },
    'user.updated': { event: 'user.updated' },
    'user.verified': { event: 'user.verified' },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Causes>>>>

interface Causes {
  readonly words?: string
  readonly event?: EventType
  readonly events?: readonly EventType[]
  readonly letter?: Change
  readonly letters?: readonly Change[]
}

type Groups = Omit<typeof ACTS, 'unlisted'>
export type ActionGroup = keyof Groups
/** The acts in the audit log. */
export type Action = { [Group in ActionGroup]: keyof Groups[Group] }[ActionGroup]

type Unlisted = typeof ACTS.unlisted
export type ActName = Action | keyof Unlisted

/** The effects of one act, by its name. */
export type CausesOf<Name extends ActName> = {
  [Group in keyof typeof ACTS]: Name extends keyof (typeof ACTS)[Group] ? (typeof ACTS)[Group][Name] : never
}[keyof typeof ACTS]

const byName: ReadonlyMap<string, Causes> = new Map(
  Object.values(ACTS).flatMap((group) => Object.entries<Causes>(group)),
)

export function causesOf(name: ActName): Causes {
  return byName.get(name) ?? {}
}

/** The targets an act can have. */
export type Subject =
  | 'application'
  | 'authorization'
  | 'feedback'
  | 'grant'
  | 'notification'
  | 'organization'
  | 'product_scope'
  | 'settings'
  | 'shard'
  | 'user'
  | 'webhook'
