import type { Notification } from '../server/notifications.ts'
import { useTexts } from '../texts/texts.tsx'
import { Badge } from '../ui/facts/badge.tsx'

/** The level `info` has no badge. */
export function LevelBadge({ level }: Pick<Notification, 'level'>) {
  const { notifications } = useTexts()
  if (level === 'info') return null
  return <Badge look={level === 'warning' ? 'warning' : 'accent'}>{notifications.levels[level]}</Badge>
}
