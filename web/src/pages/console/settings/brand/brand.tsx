import { useDeferredValue } from 'react'
import * as z from 'zod/mini'
import { languages as languageNames } from '../../../../texts/catalogue.ts'
import { useTexts } from '../../../../texts/texts.tsx'
import { Switch } from '../../../../ui/controls/switch.tsx'
import { TextField } from '../../../../ui/controls/text-field.tsx'
import { PartCard, type Stored, StoredPart } from '../part-card.tsx'
import { type ControlProps, type Kind, lines, text, url } from '../part-fields.tsx'
import { usePart } from '../use-part.tsx'
import { LookGrid, lookFields, lookNames } from './look-fields.tsx'
import { LookPreview } from './look-preview.tsx'

export const BrandSettings = () => (
  <StoredPart part="brand">{(document) => <BrandForm document={document} />}</StoredPart>
)

type Language = keyof typeof languageNames

const fields = {
  name: { ...text, draw: (props) => <TextField {...props} maxLength={64} /> } satisfies typeof text,
  ...lookFields,
  home_url: url,
  terms_url: url,
  privacy_url: url,
  return_origins: lines('https://app.example.com'),
  languages: {
    initialOf: (stored) => stored,
    schemaOf: () => z.array(z.enum(['en', 'zh'])),
    draw: (props) => <Languages {...props} />,
  } satisfies Kind<Language[], Language[], Language[]>,
}

function BrandForm({ document }: Stored<'brand'>) {
  const { config } = useTexts()
  const part = usePart({ part: 'brand', document, page: 'brand', fields })
  const { values } = part.form
  const [first, ...others] = part.controls
  const name = useDeferredValue(values.name || document.shown_name)
  return (
    <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,1fr)_24rem]">
      <PartCard title={config.brand} lead={config.brandLead} part={part}>
        {first}
        <LookGrid>{others.slice(0, lookNames.length)}</LookGrid>
        {others.slice(lookNames.length)}
      </PartCard>
      <LookPreview name={name} languages={values.languages} stored={{ ...document }} typed={values} />
    </div>
  )
}

/** The last language cannot be switched off. */
function Languages({ label, hint, value, onChange }: ControlProps<Language[]>) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-medium text-small">{label}</legend>
      {(['en', 'zh'] as const).map((language) => (
        <Switch
          key={language}
          label={languageNames[language]}
          value={value.includes(language)}
          isDisabled={value.length === 1 && value.includes(language)}
          onChange={(isOn) => onChange(isOn ? [...value, language] : value.filter((other) => other !== language))}
        />
      ))}
      <p className="text-small text-ink-soft">{hint}</p>
    </fieldset>
  )
}
