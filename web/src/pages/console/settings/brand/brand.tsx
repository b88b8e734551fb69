import { useDeferredValue } from 'react'
import { languages as languageNames } from '../../../../texts/catalogue.ts'
import { useTexts } from '../../../../texts/texts.tsx'
import { Switch } from '../../../../ui/controls/switch.tsx'
import { TextField } from '../../../../ui/controls/text-field.tsx'
import { LinesField } from '../lines-field.tsx'
import { PartCard, PartLoading } from '../part-card.tsx'
import { type PartState, usePart } from '../use-part.ts'
import { AccentField } from './accent-field.tsx'
import { BrandPreview } from './brand-preview.tsx'
import { LogoField } from './logo-field.tsx'
import { pictureUrl } from './logo-file.ts'

export function BrandSettings() {
  const part = usePart('brand')
  return part.document ? <BrandForm part={part} document={part.document} /> : <PartLoading part={part} />
}

interface Props {
  readonly part: PartState<'brand'>
  readonly document: NonNullable<PartState<'brand'>['document']>
}

function BrandForm({ part, document }: Props) {
  const { config } = useTexts()
  const { logo, ...changes } = part.changes
  const now = { ...document, ...changes }
  const name = useDeferredValue(now.name || document.shown_name)
  return (
    <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,1fr)_22rem]">
      <PartCard title={config.brand} lead={config.brandLead} part={part}>
        <TextField
          label={config.brandName}
          hint={config.brandNameHint('APP_NAME')}
          value={now.name}
          maxLength={64}
          onChange={(typed) => part.change({ name: typed })}
        />
        <LogoField
          shownUrl={shownLogo(document.logo_url, logo)}
          onChange={(change) => part.change({ logo: change })}
        />
        <AccentField value={now.accent} onChange={(accent) => part.change({ accent })} />
        <Addresses part={part} document={document} />
        <Languages chosen={now.languages} onChange={(languages) => part.change({ languages })} />
      </PartCard>
      <BrandPreview
        name={name}
        accent={now.accent}
        logoUrl={shownLogo(document.logo_url, logo)}
        languages={now.languages}
      />
    </div>
  )
}

function shownLogo(stored: string | null, change: PartState<'brand'>['changes']['logo']): string | null {
  if (change?.action === 'remove') return null
  return change?.action === 'replace' ? pictureUrl(change.value) : stored
}

function Addresses({ part, document }: Props) {
  const { config } = useTexts()
  const { logo: _, ...changes } = part.changes
  const now = { ...document, ...changes }
  const address = (label: string, field: 'home_url' | 'terms_url' | 'privacy_url', hint?: string) => (
    <TextField
      label={label}
      {...(hint && { hint })}
      type="url"
      placeholder="https://"
      value={now[field]}
      onChange={(value) => part.change({ [field]: value })}
    />
  )
  return (
    <>
      {address(config.homeUrl, 'home_url')}
      {address(config.termsUrl, 'terms_url', config.urlHint)}
      {address(config.privacyUrl, 'privacy_url', config.urlHint)}
      <LinesField
        label={config.returnOrigins}
        hint={config.returnOriginsHint}
        placeholder="https://app.example.com"
        lines={now.return_origins}
        isChanged={part.changes.return_origins !== undefined}
        onChange={(return_origins) => part.change({ return_origins })}
      />
    </>
  )
}

type Language = keyof typeof languageNames

interface LanguagesProps {
  readonly chosen: readonly Language[]
  onChange(chosen: Language[]): void
}

/** The last one cannot be switched off. */
function Languages({ chosen, onChange }: LanguagesProps) {
  const { config } = useTexts()
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-medium text-small">{config.languages}</legend>
      {(['en', 'zh'] as const).map((language) => (
        <Switch
          key={language}
          label={languageNames[language]}
          isSelected={chosen.includes(language)}
          isDisabled={chosen.length === 1 && chosen.includes(language)}
          onChange={(isOn) =>
            onChange(isOn ? [...chosen, language] : chosen.filter((other) => other !== language))
          }
        />
      ))}
      <p className="text-small text-ink-soft">{config.languagesHint}</p>
    </fieldset>
  )
}
