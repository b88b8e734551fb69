import { useDeferredValue } from 'react'
import * as z from 'zod/mini'
import { languages as languageNames } from '../../../../texts/catalogue.ts'
import { useTexts } from '../../../../texts/texts.tsx'
import { Switch } from '../../../../ui/controls/switch.tsx'
import { TextField } from '../../../../ui/controls/text-field.tsx'
import { PartCard, type Stored, StoredPart } from '../part-card.tsx'
import { type ControlProps, type Kind, lines, text, url } from '../part-fields.tsx'
import { keep, type SecretChange } from '../secret-field.tsx'
import { usePart } from '../use-part.tsx'
import { AccentField } from './accent-field.tsx'
import { BrandPreview } from './brand-preview.tsx'
import { LogoField } from './logo-field.tsx'
import { pictureUrl } from './logo-file.ts'

export const BrandSettings = () => (
  <StoredPart part="brand">{(document) => <BrandForm document={document} />}</StoredPart>
)

type Language = keyof typeof languageNames

const fields = {
  name: { ...text, draw: (props) => <TextField {...props} maxLength={64} /> } satisfies typeof text,
  logo: {
    initialOf: () => keep,
    schemaOf: () => z.custom<SecretChange>(),
    isSecret: true,
    draw: ({ document, ...props }) => <LogoField {...props} shownUrl={shownLogo(document.logo_url, props.value)} />,
  } satisfies Kind<undefined, SecretChange, SecretChange>,
  accent: { ...text, draw: (props) => <AccentField {...props} /> } satisfies typeof text,
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
  const name = useDeferredValue(values.name || document.shown_name)
  const logoUrl = shownLogo(document.logo_url, values.logo)
  return (
    <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,1fr)_22rem]">
      <PartCard title={config.brand} lead={config.brandLead} part={part}>
        {part.controls}
      </PartCard>
      <BrandPreview name={name} accent={values.accent} logoUrl={logoUrl} languages={values.languages} />
    </div>
  )
}

function shownLogo(stored: unknown, change: SecretChange): string | null {
  if (change.action === 'replace') return pictureUrl(change.value)
  return change.action === 'keep' && typeof stored === 'string' ? stored : null
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
