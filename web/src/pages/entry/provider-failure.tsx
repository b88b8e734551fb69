import { useSearchParams } from '../../routing/router.tsx'
import { ApiError } from '../../server/api.ts'
import type { Provider } from '../../server/auth.ts'
import { useClientConfig } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Failure } from '../../ui/messages/failure.tsx'

/** A sign-in that failed at a provider: its code comes back in the address, in small letters. */
export function ProviderFailure() {
  const [search] = useSearchParams()
  const code = search.get('error')
  const words = useProviderWords(search.get('provider'))
  return code ? <Failure error={new ApiError(0, { code: code.toUpperCase() })} words={words} /> : null
}

/** The failures of one provider, by its name. */
export function useProviderWords(provider: Provider | string | null) {
  const { providerFailures } = useTexts()
  const { providers } = useClientConfig()
  const name = providers.find(({ id }) => id === provider)?.name
  if (!name) return {}
  return Object.fromEntries(Object.entries(providerFailures).map(([code, words]) => [code, words(name)]))
}
