import type { Texts } from './en.ts'

export const languages = { en: 'English', zh: '中文' } as const
export type Language = keyof typeof languages

/** A page inside needs `inside` too, and one of the console `console`: their frames fetch them. */
export type Part = 'front' | 'inside' | 'console' | 'organizations' | 'firstHour'

const sources: Record<Language, Record<Part, () => Promise<Partial<Texts>>>> = {
  en: {
    front: async () => (await import('./en/front.ts')).front,
    inside: async () => (await import('./en/inside.ts')).inside,
    console: async () => (await import('./en/console.ts')).console,
    organizations: async () => (await import('./en/organizations.ts')).organizations,
    firstHour: async () => (await import('./en/first-hour.ts')).firstHour,
  },
  zh: {
    front: async () => (await import('./zh/front.ts')).front,
    inside: async () => (await import('./zh/inside.ts')).inside,
    console: async () => (await import('./zh/console.ts')).console,
    organizations: async () => (await import('./zh/organizations.ts')).organizations,
    firstHour: async () => (await import('./zh/first-hour.ts')).firstHour,
  },
}

/** Parts and languages are only ever added, so whichever comes second fetches what the pair needs. */
class Catalogue {
  readonly #parts = new Set<Part>(['front'])
  readonly #texts = new Map<Language, Partial<Texts>>()

  /** The texts fetched so far in a language, and those that are fetched later. */
  async speak(language: Language): Promise<Texts> {
    const texts = this.#texts.get(language) ?? {}
    this.#texts.set(language, texts)
    await Promise.all([...this.#parts].map((part) => fill(texts, language, part)))
    return asComplete(texts)
  }

  async open(part: Part): Promise<void> {
    this.#parts.add(part)
    await Promise.all([...this.#texts].map(([language, texts]) => fill(texts, language, part)))
  }
}

async function fill(texts: Partial<Texts>, language: Language, part: Part): Promise<void> {
  Object.assign(texts, await sources[language][part]())
}

/** A page is rendered once its part is loaded, so that its texts are complete. */
const asComplete = (texts: Partial<Texts>): Texts => texts as Texts

export const catalogue = new Catalogue()
