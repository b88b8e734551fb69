import { useTexts } from '../../../texts/texts.tsx'

/** A type of event in words; one that the catalogue does not know keeps its code. */
export function useEventWords(): (type: string) => string {
  const { webhooks } = useTexts()
  const known: Record<string, string> = webhooks.events
  return (type) => known[type] ?? type
}
