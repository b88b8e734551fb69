import { useDevice } from '../../../device.ts'
import { useProductWords } from '../../../product-words.ts'
import { useClientConfig } from '../../../server/session.ts'
import type { Texts } from '../../../texts/en.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { useDate } from '../../../ui/facts/time.tsx'
import { shortId } from '../users/person.ts'

/** People wrote these, so a value that looks like a code isn't one. */
const OWN_WORDS = new Set(['address', 'title', 'note', 'name', 'description', 'url', 'to'])
const TIMES = new Set(['failed_since'])

/** The value of a fact in words; one that the catalogue does not know stays as it is. */
export function useFactWords(): (name: string, value: unknown) => string {
  const texts = useTexts()
  const date = useDate()
  const device = useDevice()
  const { providers } = useClientConfig()
  const { words: products } = useProductWords()
  const known: Record<string, string> = {
    ...texts.failures,
    ...texts.scopes,
    ...texts.applications.kinds,
    ...texts.inbox.kinds,
    ...texts.publishing.kinds,
    ...texts.webhooks.events,
    ...providerWords(texts, providers),
    ...texts.audit.detailValues,
  }
  const ownVocabulary: Record<string, Record<string, string>> = {
    fields: fieldWords(texts, known),
    changed: fieldWords(texts, known),
    reason: texts.audit.endReasons,
    scopes: { ...products, ...texts.scopes },
  }
  const wordOf = (name: string, value: unknown): string => {
    if (TIMES.has(name)) return date(Number(value))
    if (name === 'user_agent') return device(String(value))
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    if (OWN_WORDS.has(name)) return text
    return (ownVocabulary[name] ?? known)[text] ?? shortId(text)
  }
  return (name, value) => {
    if (!Array.isArray(value)) return wordOf(name, value)
    if (name === 'types' && value.length === 0) return texts.webhooks.allTypes
    return value.map((part) => wordOf(name, part)).join(', ')
  }
}

type Offered = ReturnType<typeof useClientConfig>['providers']

function providerWords({ security }: Texts, offered: Offered): Record<string, string> {
  const { credential: _, ...ways } = security.ways
  return { ...ways, ...Object.fromEntries(offered.map(({ id, name }) => [id, name])) }
}

/** The fields of settings, applications and notifications, by the labels that they have in their forms. */
function fieldWords({ audit, config, applications }: Texts, known: Readonly<Record<string, string>>) {
  const ofProvider = (id: string) => ({
    [`${id}_enabled`]: `${known[id]}: ${audit.detailNames.enabled}`,
    [`${id}_client_id`]: `${known[id]}: ${config.clientId}`,
    [`${id}_client_secret`]: `${known[id]}: ${config.clientSecret}`,
  })
  return {
    ...audit.detailNames,
    ...ofProvider('provider_a'),
    ...ofProvider('provider_b'),
    ...ofProvider('community'),
    ...config.fields,
    ...applications.fields,
  }
}
