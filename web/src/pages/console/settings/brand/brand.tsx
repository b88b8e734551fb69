import { useDeferredValue } from 'react'
import * as z from 'zod/mini'
import { languages as languageNames } from '../../../../texts/catalogue.ts'
import { useTexts } from '../../../../texts/texts.tsx'
import { Switch } from '../../../../ui/controls/switch.tsx'
import { TextField } from '../../../../ui/controls/text-field.tsx'
import { PartCard, type Stored, StoredPart } from '../part-card.tsx'
import { lines, linesOf, text } from '../part-fields.ts'
import { usePart } from '../use-part.ts'
import { AccentField } from './accent-field.tsx'
import { BrandPreview } from './brand-preview.tsx'
import { type LogoChange, LogoField } from './logo-field.tsx'
import { pictureUrl } from './logo-file.ts'

export const BrandSettings = () => <StoredPart part="brand" Form={BrandForm} />

const schema = z.object({
  name: text,
  logo: z.custom<LogoChange>(),
  accent: z.string(),
  home_url: text,
  terms_url: text,
  privacy_url: text,
  return_origins: lines,
  languages: z.array(z.enum(['en', 'zh'])),
})

const keptLogo: LogoChange = { action: 'keep' }

function useBrand(document: Stored<'brand'>['document']) {
  const { name, accent, home_url, terms_url, privacy_url, return_origins, languages } = document
  return usePart({
    part: 'brand',
    document,
    page: 'brand',
    initial: {
      ...{ name, accent, home_url, terms_url, privacy_url, languages },
      logo: keptLogo,
      return_origins: linesOf(return_origins),
    },
    schema,
    secrets: ['logo'],
  })
}

function BrandForm({ document }: Stored<'brand'>) {
  const { config } = useTexts()
  const part = useBrand(document)
  const { form } = part
  const { values } = form
  const name = useDeferredValue(values.name || document.shown_name)
  const logoUrl = shownLogo(document.logo_url, values.logo)
  return (
    <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,1fr)_22rem]">
      <PartCard title={config.brand} lead={config.brandLead} part={part}>
        <TextField
          {...form.field('name')}
          label={config.brandName}
          hint={config.brandNameHint('APP_NAME')}
          maxLength={64}
        />
        <LogoField {...form.field('logo')} shownUrl={logoUrl} />
        <AccentField {...form.field('accent')} />
        <Addresses form={form} />
        <Languages chosen={values.languages} onChange={(languages) => form.set({ languages })} />
      </PartCard>
      <BrandPreview name={name} accent={values.accent} logoUrl={logoUrl} languages={values.languages} />
    </div>
  )
}

function shownLogo(stored: string | null, change: LogoChange): string | null {
  if (change.action === 'remove') return null
  return change.action === 'replace' ? pictureUrl(change.value) : stored
}

function Addresses({ form }: { readonly form: ReturnType<typeof useBrand>['form'] }) {
  const { config } = useTexts()
  const address = { type: 'url', placeholder: 'https://' }
  return (
    <>
      <TextField {...form.field('home_url')} {...address} label={config.homeUrl} />
      <TextField
        {...form.field('terms_url')}
        {...address}
        label={config.fields.terms_url}
        hint={config.urlHint}
      />
      <TextField
        {...form.field('privacy_url')}
        {...address}
        label={config.fields.privacy_url}
        hint={config.urlHint}
      />
      <TextField
        {...form.field('return_origins')}
        label={config.fields.return_origins}
        hint={config.returnOriginsHint}
        placeholder="https://app.example.com"
        rows={3}
        mono
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
      <legend className="mb-2 font-medium text-small">{config.fields.languages}</legend>
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
