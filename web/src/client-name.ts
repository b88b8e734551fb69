import { useTexts } from './texts/texts.tsx'

interface Named {
  readonly kind: 'tool' | 'application' | 'service' | 'personal'
  readonly client_name: string
  /** The domain of a client that describes itself. */
  readonly client_domain?: string | null
}

/**
 * Only the one tool has a name that is ours to translate; somebody chose every other name. An unverified name is never
 * shown without its domain.
 */
export function useClientName(): (client: Named) => string {
  const { access } = useTexts()
  return ({ kind, client_name, client_domain }) => {
    if (kind === 'tool') return access.commandLineClient
    return client_domain ? `${client_name} (${client_domain})` : client_name
  }
}
