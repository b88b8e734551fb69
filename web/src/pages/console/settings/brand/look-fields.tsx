import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useDeferredValue, useId } from 'react'
import { ApiError, call } from '../../../../server/api.ts'
import { useTexts } from '../../../../texts/texts.tsx'
import { Button } from '../../../../ui/controls/button.tsx'
import { hintClass, labelClass, Problem } from '../../../../ui/controls/field.tsx'
import { TextField } from '../../../../ui/controls/text-field.tsx'
import { type ControlProps, choice, secret, text, wholeNumber } from '../part-fields.tsx'
import type { SecretChange } from '../secret-field.tsx'
import { pictureUrl } from './logo-file.ts'
import { PictureField } from './picture-field.tsx'

const colour = { ...text, draw: (props) => <ColourField {...props} /> } satisfies typeof text

const picture = {
  ...secret,
  draw: ({ document, ...props }) => (
    <PictureField {...props} shownUrl={shownPicture(document[`${props.name}_url`], props.value)} />
  ),
} satisfies typeof secret

/** What an installation and an application both have of their own. */
export const lookFields = {
  logo: picture,
  logo_dark: picture,
  favicon: picture,
  accent: colour,
  accent_dark: colour,
  background: colour,
  radius: wholeNumber(16),
  font: choice(['system', 'humanist', 'geometric', 'serif', 'mono'], ({ fonts }) => fonts),
  css: { ...text, draw: (props) => <CssField {...props} /> } satisfies typeof text,
}

export const lookNames = Object.keys(lookFields)

/** Pictures in a row, colours in a row, then radius and typeface, and the CSS below them all. */
export const LookGrid = ({ children }: { readonly children: ReactNode }) => (
  <div className="grid gap-x-6 gap-y-5 sm:grid-cols-3 sm:[&>:nth-child(8)]:col-span-2 sm:[&>:nth-child(9)]:col-span-3">
    {children}
  </div>
)

export function shownPicture(stored: unknown, change: SecretChange): string | null {
  if (change.action === 'replace') return pictureUrl(change.value)
  return change.action === 'keep' && typeof stored === 'string' ? stored : null
}

export interface Style {
  readonly accent: string
  readonly accent_dark: string
  readonly background: string
  readonly radius: string
  readonly font: 'system' | 'humanist' | 'geometric' | 'serif' | 'mono'
  readonly css: string
}

/** The style sheet that pages would have, and the place at which the CSS is refused. */
export function useSheet({ accent, accent_dark, background, radius, font, css }: Partial<Style>) {
  const { config } = useTexts()
  const pixels = Number(radius)
  const typed = { accent, accent_dark, background, font, css, ...(pixels >= 0 && pixels <= 16 && { radius: pixels }) }
  const style = useDeferredValue(JSON.stringify(typed))
  const { data, error } = useQuery({
    queryKey: ['console', 'style', style],
    queryFn: () => call('/api/admin/preview_palette', JSON.parse(style)),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const issue = error instanceof ApiError ? error.issues.find(({ path }) => path === 'css') : undefined
  const [, line, column] = issue?.message.match(/^Line (\d+), column (\d+)/) ?? []
  const fault = issue && (line && column ? config.cssAt(line, column) : config.problems.css)
  return { sheet: data?.sheet ?? '', fault }
}

/** Says at which place the style sheet would be refused. */
function CssField({ document: _stored, ...props }: ControlProps<string>) {
  const { fault } = useSheet({ css: props.value })
  return <TextField {...props} problem={fault ?? props.problem} rows={8} mono spellCheck={false} />
}

/** The pages' own, by the fields that replace them. */
const own: Readonly<Record<string, string>> = { accent: '#1d5c4c', accent_dark: '#86cfb4', background: '#f6f5f1' }

/** '' for the pages' own colour, or for one that is made from the others. */
function ColourField({ name, label, hint, value, problem, onChange }: ControlProps<string>) {
  const { config } = useTexts()
  const id = useId()
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className={labelClass}>
        {label}
      </label>
      <div className="flex flex-wrap items-center gap-3">
        <input
          id={id}
          type="color"
          aria-describedby={`${id}hint`}
          value={value || own[name]}
          onChange={({ target }) => onChange(target.value)}
          className="h-10 w-14 rounded-md border border-line-strong bg-raised p-1"
        />
        <code className="font-mono text-ink-soft">{value || config.colourOwn}</code>
        {value !== '' && (
          <Button size="small" look="plain" onPress={() => onChange('')}>
            {config.accentOwn}
          </Button>
        )}
      </div>
      <p id={`${id}hint`} className={hintClass}>
        {hint}
      </p>
      <Problem role="alert">{problem}</Problem>
    </div>
  )
}
