import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../../server/api.ts'
import { languages as languageNames } from '../../../../texts/catalogue.ts'
import { useSpoken } from '../../../../texts/texts.tsx'
import { Segments } from '../../../../ui/controls/segments.tsx'
import { Select } from '../../../../ui/controls/select.tsx'
import { Loaded } from '../../../../ui/lists/loaded.tsx'
import { areSettled } from '../../../../ui/lists/settled.ts'
import { Letter } from '../../letter.tsx'
import type { Style } from './look-fields.tsx'

interface Props {
  readonly name: string
  readonly style: Style
  readonly languages: readonly (keyof typeof languageNames)[]
}

/** Any letter as its reader would get it, with what is typed and not saved yet. */
export function LetterPreview({ name, style, languages }: Props) {
  const { language: spoken, texts } = useSpoken()
  const { config } = texts
  const [kind, setKind] = useState('email-verification')
  const [wished, setLanguage] = useState(spoken)
  const language = languages.find((one) => one === wished) ?? languages[0] ?? 'en'
  const letters = useQuery({
    queryKey: ['console', 'letters', language, name],
    queryFn: () => call('/api/admin/list_letters', { language, name }),
    placeholderData: keepPreviousData,
  })
  const { accent, accent_dark, background, radius, font } = style
  const sent = { accent, accent_dark, background, font, ...(Number(radius) <= 16 && { radius: radius || '0' }) }
  return (
    <div className="flex flex-col gap-3">
      <Loaded query={letters}>
        {({ items }) => (
          <Select
            label={config.email}
            value={kind}
            options={Object.fromEntries(items.map((letter) => [letter.kind, letter.subject]))}
            onChange={setKind}
          />
        )}
      </Loaded>
      {areSettled([letters]) && languages.length > 1 && (
        <Segments label={config.fields.languages} value={language} options={languageNames} onChange={setLanguage} />
      )}
      <Letter title={config.email} query={String(new URLSearchParams({ kind, language, name, ...sent }))} />
    </div>
  )
}
