import { useTexts } from './texts/texts.tsx'

interface Named {
  readonly kind: 'tool' | 'application' | 'service' | 'personal'
  readonly client_name: string
  /** That a client which describes itself is known by. */
  readonly client_domain?: string | null
}

/**
 * There is one tool, and its name is ours to translate; every other name is what someone chose. One that nobody here
 * has checked is never shown without its domain.
 */
export function useClientName(): (client: Named) => string {
  const { access } = useTexts()
  return ({ kind, client_name, client_domain }) => {
    if (kind === 'tool') return access.commandLineClient
    return client_domain ? `${client_name} (${client_domain})` : client_name
  }
}
