import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type CSSProperties, useDeferredValue } from 'react'
import { call } from '../../../server/api.ts'
import type { Palette } from '../../../server/brand.ts'
import type { languages as languageNames } from '../../../texts/catalogue.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { LetterPreview } from './letter-preview.tsx'

interface Props {
  readonly name: string
  readonly accent: string
  readonly logoUrl: string | null
  readonly languages: readonly (keyof typeof languageNames)[]
}

/** Sign-in and a letter as they would be with what is typed, before it is saved. */
export function BrandPreview(props: Props) {
  const { config } = useTexts()
  const accent = useDeferredValue(props.accent)
  const { data } = useQuery({
    queryKey: ['console', 'palette', accent],
    queryFn: () => call('/api/admin/preview_palette', { accent }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Card title={config.preview}>
      <div className="flex flex-col gap-5">
        <SignInSketch {...props} shades={data?.palette?.light} theme="light" />
        <SignInSketch {...props} shades={data?.palette?.dark} theme="dark" />
        <LetterPreview {...props} accent={accent} />
      </div>
    </Card>
  )
}

/** The grounds of styles.css, which follow the system everywhere else. */
const grounds = {
  light: { ground: '#f6f5f1', surface: '#fffefc', line: '#e5e2d9', ink: '#1b1c19', soft: '#5f5e56' },
  dark: { ground: '#121412', surface: '#191c19', line: '#2b302b', ink: '#ecebe4', soft: '#a5a79d' },
} as const
const ownShades = {
  light: { accent: '#1d5c4c', on: '#ffffff' },
  dark: { accent: '#86cfb4', on: '#0c211a' },
} as const

interface SketchProps extends Props {
  readonly theme: 'light' | 'dark'
  readonly shades: Palette['light'] | undefined
}

function SignInSketch({ name, logoUrl, theme, shades }: SketchProps) {
  const { signIn, common } = useTexts()
  const { ground, surface, line, ink, soft } = grounds[theme]
  const { accent, on } = shades ?? ownShades[theme]
  const card: CSSProperties = { background: surface, border: `1px solid ${line}` }
  return (
    <div aria-hidden="true" className="rounded-lg p-5" style={{ background: ground, color: ink }}>
      <p className="mb-3 flex items-center justify-center gap-2 font-semibold">
        {logoUrl && <img src={logoUrl} alt="" className="size-6 object-contain" />}
        <bdi className="truncate">{name}</bdi>
      </p>
      <div className="flex flex-col gap-2.5 rounded-lg p-4" style={card}>
        <p className="font-semibold">{signIn.title}</p>
        <p className="text-tiny" style={{ color: soft }}>
          {common.email}
        </p>
        <p className="h-8 rounded-md" style={{ border: `1px solid ${line}` }} />
        <p
          className="grid h-8 place-items-center rounded-md font-medium text-small"
          style={{ background: accent, color: on }}
        >
          {signIn.submit}
        </p>
        <p className="text-center text-tiny underline" style={{ color: accent }}>
          {signIn.forgot}
        </p>
      </div>
    </div>
  )
}
