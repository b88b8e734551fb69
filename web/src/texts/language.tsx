import { type ReactNode, useState } from 'react'
import { catalogue, type Language } from './catalogue.ts'
import type { Texts } from './en.ts'
import { SpokenProvider } from './texts.tsx'

const remembered = 'language'

const everyLanguage: readonly Language[] = ['en', 'zh']

/**
 * The language chosen here before, else the first that an application asks for, else the browser's first that is
 * offered, else the operator's first.
 */
export function preferredLanguage(offered: readonly Language[] = everyLanguage): Language {
  const chosen = localStorage.getItem(remembered)
  const tags = [...askedLanguages(location), ...navigator.languages]
  const preferred = [chosen ?? '', ...tags.map((tag) => tag.slice(0, 2))]
  const isOffered = (tag: string): tag is Language => offered.some((language) => language === tag)
  return preferred.find(isOffered) ?? offered[0] ?? 'en'
}

/** OpenID Connect's `ui_locales`, of the request itself or of the one that sign-in leads back to. */
function askedLanguages({ href, origin }: Location): readonly string[] {
  const here = new URL(href)
  const request = URL.parse(here.searchParams.get('next') ?? '', origin) ?? here
  return [here, request]
    .filter(({ pathname }) => pathname === '/oauth/authorize')
    .flatMap(({ searchParams }) => (searchParams.get('ui_locales') ?? '').split(' '))
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
