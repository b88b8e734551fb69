/** What the audit log records, in the console's groups and words. */
export const ACTIONS = {
  signIns: {
    'session.revoke': 'Signed out a device',
    'user.revoke_sessions': 'Signed a user out',
    'user.sign_in': 'Signed in',
    'user.sign_in_refused': 'Sign-in refused',
    'user.sign_up_refused': 'Sign-up refused: the address is taken',
  },
  people: {
    'account.link': 'Connected an account',
    'account.unlink': 'Disconnected an account',
    'beta_codes.generate': 'Generated invitation codes',
    'user.delete': 'Deleted a user',
    'user.erased': 'User’s data erased',
    'credit.give': 'Gave credits',
    'user.mark_verified': 'Marked an address as confirmed',
    'user.move': 'Moved a user to another shard',
    'user.verify_email': 'Confirmed the email address',
    'user.suspend': 'Suspended a user',
    'user.restore': 'Restored a user',
    'user.create': 'Created a user',
    'user.invite': 'Invited a user',
    'user.accept_invitation': 'Accepted the invitation',
  },
  security: {
    'administrator.reset_password': 'Administrator’s password reset on the host',
    'user.change_password': 'Changed the password',
    'user.reset_password': 'Reset the password',
    'user.send_reset': 'Sent a password reset',
    'factor.add': 'Added a second factor',
    'factor.remove': 'Removed a second factor',
    'factor.rename': 'Renamed a passkey',
    'factor.reset': 'Removed all second factors',
    'factor.backup_codes': 'Generated new backup codes',
    'factor.copy_refused': 'Refused a passkey that may be a copy',
    'factor.revoke_trust': 'Stopped trusting a device',
  },
  access: {
    'authorization.approved': 'Approved a request for access',
    'authorization.denied': 'Denied a request for access',
    'application.create': 'Registered an application',
    'application.update': 'Changed an application',
    'application.rotate_secret': 'Gave an application a new secret',
    'application.delete': 'Deleted an application',
    'product_scope.declare': 'Declared a permission of the product',
    'product_scope.delete': 'Deleted a permission of the product',
    'personal_token.created': 'Created an access token',
    'grant.made': 'Connected a tool',
    'grant.revoked': 'Access revoked',
    'grant.exchange': 'Exchanged a tool’s token',
    'grant.update': 'Changed a tool’s limits',
    'approval.approved': 'Approved a tool’s action',
    'approval.denied': 'Denied a tool’s action',
  },
  conversation: {
    'feedback.update': 'Changed feedback',
    'feedback.reply': 'Answered feedback',
    'notification.archive': 'Archived a notification',
    'notification.restore': 'Restored a notification',
    'notification.create': 'Published a notification',
    'notification.update': 'Changed a notification',
  },
  service: {
    'webhook.create': 'Added a webhook',
    'webhook.update': 'Changed a webhook',
    'webhook.delete': 'Removed a webhook',
    'webhook.rotate_secret': 'Rotated a webhook’s secret',
    'webhook.test': 'Tested a webhook',
    'webhook.redeliver': 'Sent deliveries again',
    'webhook.switched_off': 'Webhook switched off',
    'settings.update': 'Changed settings',
    'shard.add': 'Added a shard',
    'shard.replace': 'Replaced a lost shard',
    'shard.update': 'Changed a shard',
    'signing_keys.rotate': 'Replaced the signing keys',
    'signing_keys.withdraw': 'Withdrew the signing keys',
  },
}

type Groups = typeof ACTIONS
export type ActionGroup = keyof Groups
export type Action = { [Group in ActionGroup]: keyof Groups[Group] }[ActionGroup]

/** What an act is done to. */
export type Subject =
  | 'application'
  | 'authorization'
  | 'feedback'
  | 'grant'
  | 'notification'
  | 'product_scope'
  | 'settings'
  | 'shard'
  | 'user'
  | 'webhook'
