import { useTexts } from '../../../texts/texts.tsx'

/** A type of notification in words; one that the operator has made up stays as it is. */
export function useNotificationKind(): (type: string) => string {
  const { publishing } = useTexts()
  const known: Record<string, string> = publishing.kinds
  return (type) => known[type] ?? type
}

/** A kind of feedback in words; one that a client has made up stays as it is. */
export function useKindWords(): (type: string) => string {
  const { inbox } = useTexts()
  const known: Record<string, string> = inbox.kinds
  return (type) => known[type] ?? type
}
