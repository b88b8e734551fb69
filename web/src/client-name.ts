import { useTexts } from './texts/texts.tsx'

interface Named {
  readonly kind: 'tool' | 'application' | 'service' | 'personal'
  readonly client_name: string
}

/** There is one tool, and its name is ours to translate; every other name is what someone chose. */
export function useClientName(): (client: Named) => string {
  const { access } = useTexts()
  return ({ kind, client_name }) => (kind === 'tool' ? access.commandLineClient : client_name)
}
