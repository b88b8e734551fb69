import type { Texts } from '../../../texts/en.ts'

type Action = keyof Texts['audit']['actions']
type Group = keyof Texts['audit']['groups']

const groups: Readonly<Record<Action, Group>> = {
  'session.revoke': 'signIns',
  'user.revoke_sessions': 'signIns',
  'user.sign_in': 'signIns',
  'user.sign_in_refused': 'signIns',
  'user.sign_up_refused': 'signIns',
  'account.link': 'people',
  'account.unlink': 'people',
  'beta_codes.generate': 'people',
  'user.delete': 'people',
  'user.erased': 'people',
  'credit.give': 'people',
  'user.mark_verified': 'people',
  'user.move': 'people',
  'user.verify_email': 'people',
  'user.suspend': 'people',
  'user.restore': 'people',
  'user.create': 'people',
  'user.invite': 'people',
  'user.accept_invitation': 'people',
  'administrator.reset_password': 'security',
  'user.change_password': 'security',
  'user.reset_password': 'security',
  'user.send_reset': 'security',
  'factor.add': 'security',
  'factor.remove': 'security',
  'factor.rename': 'security',
  'factor.reset': 'security',
  'factor.backup_codes': 'security',
  'factor.copy_refused': 'security',
  'factor.revoke_trust': 'security',
  'authorization.approved': 'access',
  'authorization.denied': 'access',
  'application.create': 'access',
  'application.update': 'access',
  'application.rotate_secret': 'access',
  'application.delete': 'access',
  'product_scope.declare': 'access',
  'product_scope.delete': 'access',
  'personal_token.created': 'access',
  'grant.made': 'access',
  'grant.revoked': 'access',
  'grant.exchange': 'access',
  'grant.update': 'access',
  'approval.approved': 'access',
  'approval.denied': 'access',
  'feedback.update': 'conversation',
  'feedback.reply': 'conversation',
  'notification.archive': 'conversation',
  'notification.restore': 'conversation',
  'notification.create': 'conversation',
  'notification.update': 'conversation',
  'webhook.create': 'service',
  'webhook.update': 'service',
  'webhook.delete': 'service',
  'webhook.rotate_secret': 'service',
  'webhook.test': 'service',
  'webhook.redeliver': 'service',
  'webhook.switched_off': 'service',
  'settings.update': 'service',
  'shard.add': 'service',
  'shard.replace': 'service',
  'shard.update': 'service',
  'signing_keys.rotate': 'service',
  'signing_keys.withdraw': 'service',
}

export const groupNames = ['signIns', 'people', 'security', 'access', 'conversation', 'service'] as const

const mark = 'group:'

/** How the address names a group, where it could name a single action. */
export const namedGroup = (group: Group): string => `${mark}${group}`

export const isNamedGroup = (name: string): boolean => name.startsWith(mark)

export const actionsOf = (group: Group): readonly Action[] =>
  knownActions.filter((action) => groups[action] === group)

const isAction = (name: string): name is Action => Object.hasOwn(groups, name)
const knownActions = Object.keys(groups).filter(isAction)

/** All actions of a group, or the one that is named. */
export const actionsNamed = (name: string): string | string[] =>
  isNamedGroup(name) ? knownActions.filter((action) => namedGroup(groups[action]) === name) : name
