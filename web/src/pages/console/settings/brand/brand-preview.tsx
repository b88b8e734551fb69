import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type CSSProperties, useDeferredValue } from 'react'
import { call } from '../../../../server/api.ts'
import type { Palette } from '../../../../server/brand.ts'
import type { languages as languageNames } from '../../../../texts/catalogue.ts'
import { useTexts } from '../../../../texts/texts.tsx'
import { Card } from '../../../../ui/card.tsx'
import { LetterPreview } from './letter-preview.tsx'

interface Props {
  readonly name: string
  readonly accent: string
  readonly logoUrl: string | null
  readonly languages: readonly (keyof typeof languageNames)[]
}

/** Shows the sign-in page and a letter with what is typed, before it is saved. */
export function BrandPreview(props: Props) {
  const { publishing } = useTexts()
  const accent = useDeferredValue(props.accent)
  const { data } = useQuery({
    queryKey: ['console', 'palette', accent],
    queryFn: () => call('/api/admin/preview_palette', { accent }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <Card title={publishing.preview}>
      <div className="flex flex-col gap-5">
        <SignInSketch {...props} shades={data?.palette.light} theme="light" />
        <SignInSketch {...props} shades={data?.palette.dark} theme="dark" />
        <LetterPreview {...props} accent={accent} />
      </div>
    </Card>
  )
}

type Theme = 'light' | 'dark'

/** The tokens of one theme, whichever the browser has, with the accent that is being chosen. */
function tokensOf(theme: Theme, shades: Palette['light'] | undefined): CSSProperties {
  const names = ['ground', 'surface', 'line', 'ink', 'ink-soft', 'accent', 'on-accent']
  const tokens = Object.fromEntries(names.map((name) => [`--${name}`, `var(--${theme}-${name})`]))
  const chosen: Record<string, string> = shades ? { '--accent': shades.accent, '--on-accent': shades.on } : {}
  const edge =
    theme === 'dark' ? 'drop-shadow(0 0 0.5px var(--ink)) '.repeat(4) : 'drop-shadow(0 0 0.5px var(--ink-soft))'
  const edges: Record<string, string> = { '--logo-edge': edge }
  return { ...tokens, ...chosen, ...edges }
}

interface SketchProps extends Props {
  readonly theme: Theme
  readonly shades: Palette['light'] | undefined
}

function SignInSketch({ name, logoUrl, theme, shades }: SketchProps) {
  const { signIn, common } = useTexts()
  return (
    <div
      aria-hidden="true"
      className="rounded-lg bg-ground p-5 text-ink forced-colors:border"
      style={tokensOf(theme, shades)}
    >
      <p className="mb-3 flex items-center justify-center gap-2 font-semibold">
        {logoUrl && <img src={logoUrl} alt="" className="logo h-6 min-w-6" />}
        <bdi className="truncate">{name}</bdi>
      </p>
      <div className="flex flex-col gap-2.5 rounded-lg border border-line bg-surface p-4">
        <p className="font-semibold">{signIn.title}</p>
        <p className="text-ink-soft text-tiny">{common.email}</p>
        <p className="h-8 rounded-md border border-line" />
        <p className="grid h-8 place-items-center rounded-md bg-accent font-medium forced-colors:border text-on-accent text-small">
          {signIn.submit}
        </p>
        <p className="text-center text-accent text-tiny underline">{signIn.forgot}</p>
      </div>
    </div>
  )
}
