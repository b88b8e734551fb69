import type { Notification } from '../server/notifications.ts'
import { useTexts } from '../texts/texts.tsx'
import { Badge } from '../ui/facts/badge.tsx'

/** What is only information says nothing of it. */
export function LevelBadge({ level }: Pick<Notification, 'level'>) {
  const { notifications } = useTexts()
  if (level === 'info') return null
  return <Badge look={level === 'warning' ? 'warning' : 'accent'}>{notifications.levels[level]}</Badge>
}
