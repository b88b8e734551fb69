import { createContext, use } from 'react'
import type { Language } from './catalogue.ts'
import type { Texts } from './en.ts'

interface Spoken {
  readonly language: Language
  readonly texts: Texts
  speak(language: Language): Promise<void>
}

const SpokenContext = createContext<Spoken | undefined>(undefined)

export const SpokenProvider = SpokenContext.Provider

export function useSpoken(): Spoken {
  const spoken = use(SpokenContext)
  if (!spoken) throw new Error('no language above this component')
  return spoken
}

export const useTexts = (): Texts => useSpoken().texts
