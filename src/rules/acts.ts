/** What the audit log records. */
export type Action =
  | `account.${'link' | 'unlink'}`
  | 'administrator.reset_password'
  | `approval.${'approved' | 'denied'}`
  | `application.${'create' | 'update' | 'delete' | 'rotate_secret'}`
  | `authorization.${'approved' | 'denied'}`
  | 'beta_codes.generate'
  | 'credit.give'
  | `factor.${'add' | 'remove' | 'rename' | 'reset' | 'backup_codes' | 'copy_refused' | 'revoke_trust'}`
  | 'feedback.reply'
  | 'feedback.update'
  | `grant.${'exchange' | 'made' | 'revoked' | 'update'}`
  | `notification.${'create' | 'update' | 'archive' | 'restore'}`
  | 'personal_token.created'
  | `product_scope.${'declare' | 'delete'}`
  | 'session.revoke'
  | 'settings.update'
  | `shard.${'add' | 'replace' | 'update'}`
  | `signing_keys.${'rotate' | 'withdraw'}`
  | `user.${UserAction}`
  | `webhook.${'create' | 'update' | 'delete' | 'test' | 'redeliver' | 'rotate_secret' | 'switched_off'}`

type UserAction =
  | 'accept_invitation'
  | 'change_password'
  | 'create'
  | 'delete'
  | 'erased'
  | 'invite'
  | 'mark_verified'
  | 'move'
  | 'reset_password'
  | 'restore'
  | 'revoke_sessions'
  | 'send_reset'
  | 'sign_in'
  | 'sign_in_refused'
  | 'sign_up_refused'
  | 'suspend'
  | 'verify_email'

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
