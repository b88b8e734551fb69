import { useTexts } from '../../../texts/texts.tsx'

/** A kind of feedback in words; one that a client has made up stays as it is. */
export function useKindWords(): (type: string) => string {
  const { inbox } = useTexts()
  const known: Record<string, string> = inbox.kinds
  return (type) => known[type] ?? type
}
