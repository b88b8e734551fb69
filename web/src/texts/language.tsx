import { type ReactNode, useState } from 'react'
import type { Texts } from './en.ts'
import { type Language, languages, SpokenProvider } from './texts.tsx'

const remembered = 'language'

const catalogues: Record<Language, () => Promise<Texts>> = {
  en: async () => (await import('./en.ts')).en,
  zh: async () => (await import('./zh.ts')).zh,
}

const isLanguage = (value: string | null): value is Language => value !== null && value in languages

/** The one chosen here before, else the first of the browser's that we speak, else English. */
export function preferredLanguage(): Language {
  const chosen = localStorage.getItem(remembered)
  if (isLanguage(chosen)) return chosen
  return navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en'
}

export async function openCatalogue(language: Language): Promise<Texts> {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : language
  return catalogues[language]()
}

interface Props {
  readonly first: { readonly language: Language; readonly texts: Texts }
  readonly children: ReactNode
}

export function LanguageProvider({ first, children }: Props) {
  const [spoken, setSpoken] = useState(first)

  const speak = async (language: Language) => {
    localStorage.setItem(remembered, language)
    setSpoken({ language, texts: await openCatalogue(language) })
  }

  return <SpokenProvider value={{ ...spoken, speak }}>{children}</SpokenProvider>
}
