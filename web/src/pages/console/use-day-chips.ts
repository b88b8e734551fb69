import { useSpoken } from '../../texts/texts.tsx'
import type { Chip } from '../../ui/lists/chips.tsx'
import { isDay } from './queries.ts'

/** The filter that a bar of the overview sets. */
export function useDayChips(day: string | undefined, name: string, onRemove: () => void): readonly Chip[] {
  const { language } = useSpoken()
  if (!isDay(day)) return []
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' })
  return [{ key: 'day', name, value: format.format(new Date(day)), onRemove }]
}
