import { useSearchParams } from 'react-router'
import type { Texts } from '../texts/en.ts'
import { useTexts } from '../texts/texts.tsx'
import { Notice } from '../ui/notice.tsx'

/** A provider's sign-in that failed comes back with a code in the address. */
export function ProviderFailure() {
  const texts = useTexts()
  const [search] = useSearchParams()
  const code = search.get('error')
  return code ? <Notice look="danger">{providerWordsOf(texts, code)}</Notice> : null
}

function providerWordsOf({ failures, providerFailures, unknownFailure }: Texts, code: string): string {
  const words: Record<string, string> = { ...failures, ...providerFailures }
  return words[code] ?? unknownFailure
}
