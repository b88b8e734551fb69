import { lazy } from 'react'

export const ConsoleOverview = lazy(async () => ({
  default: (await import('./overview.tsx')).ConsoleOverview,
}))
export const ConsoleSettings = lazy(async () => ({
  default: (await import('./settings/settings.tsx')).ConsoleSettings,
}))
export const ConsoleFeedback = lazy(async () => ({
  default: (await import('./feedback.tsx')).ConsoleFeedback,
}))
export const ConsoleNotifications = lazy(async () => ({
  default: (await import('./notifications.tsx')).ConsoleNotifications,
}))
export const ConsoleUsers = lazy(async () => ({ default: (await import('./users.tsx')).ConsoleUsers }))
export const ConsoleBetaCodes = lazy(async () => ({
  default: (await import('./beta-codes.tsx')).ConsoleBetaCodes,
}))
export const ConsoleShards = lazy(async () => ({ default: (await import('./shards.tsx')).ConsoleShards }))
export const ConsoleAudit = lazy(async () => ({ default: (await import('./audit.tsx')).ConsoleAudit }))
