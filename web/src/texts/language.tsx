import { type ReactNode, useState } from 'react'
import { catalogue, type Language } from './catalogue.ts'
import type { Texts } from './en.ts'
import { SpokenProvider } from './texts.tsx'

const remembered = 'language'

const everyLanguage: readonly Language[] = ['en', 'zh']

/** The one chosen here before, else the browser's first that is offered, else the operator's first. */
export function preferredLanguage(offered: readonly Language[] = everyLanguage): Language {
  const chosen = localStorage.getItem(remembered)
  const preferred = [chosen ?? '', ...navigator.languages.map((tag) => tag.slice(0, 2))]
  const isOffered = (tag: string): tag is Language => offered.some((language) => language === tag)
  return preferred.find(isOffered) ?? offered[0] ?? 'en'
}

export async function openCatalogue(language: Language): Promise<Texts> {
  const texts = await catalogue.speak(language)
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : language
  return texts
}

interface Props {
  readonly first: { readonly language: Language; readonly texts: Texts }
  readonly children: ReactNode
}

export function LanguageProvider({ first, children }: Props) {
  const [spoken, setSpoken] = useState(first)

  const speak = async (language: Language) => {
    const texts = await openCatalogue(language)
    localStorage.setItem(remembered, language)
    // biome-ignore lint/suspicious/noDocumentCookie: the cookie store exists on https only, and not in every browser.
    document.cookie = `language=${language}; path=/; max-age=31536000; samesite=lax`
    setSpoken({ language, texts })
  }

  return <SpokenProvider value={{ ...spoken, speak }}>{children}</SpokenProvider>
}
