/** The events that products can receive. */
export const EVENT_TYPES = [
  'user.created',
  'user.updated',
  'user.verified',
  'user.suspended',
  'user.restored',
  'user.deleted',
  'session.created',
  'session.ended',
  'factor.added',
  'factor.removed',
  'grant.created',
  'grant.revoked',
  'feedback.created',
  'feedback.updated',
  'notification.published',
  'notification.archived',
  'beta_code.bound',
  'credit.granted',
  'settings.saved',
] as const

export type EventType = (typeof EVENT_TYPES)[number]
