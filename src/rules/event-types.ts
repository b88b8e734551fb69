/** The events that products can receive, and what the console calls them. */
export const EVENTS = {
  'user.created': 'User created',
  'user.updated': 'User changed',
  'user.verified': 'Email address confirmed',
  'user.suspended': 'User suspended',
  'user.restored': 'User restored',
  'user.deleted': 'User deleted',
  'session.created': 'Signed in',
  'session.ended': 'Signed out',
  'factor.added': 'Second factor added',
  'factor.removed': 'Second factor removed',
  'grant.created': 'Tool connected',
  'grant.revoked': 'Access revoked',
  'feedback.created': 'Feedback sent',
  'feedback.updated': 'Feedback changed',
  'notification.published': 'Notification published',
  'notification.archived': 'Notification archived',
  'beta_code.bound': 'Invitation code redeemed',
  'credit.granted': 'Credits given',
  'settings.saved': 'Settings changed',
}

export type EventType = keyof typeof EVENTS

export const EVENT_TYPES = Object.keys(EVENTS).filter((name): name is EventType => name in EVENTS)
