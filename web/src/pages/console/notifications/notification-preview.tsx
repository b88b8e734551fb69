import { useEffect, useState } from 'react'
import { announcedPieces } from '../../../../../src/rules/pieces.ts'
import { useClientConfig } from '../../../server/session.ts'
import { useSpoken, useTexts } from '../../../texts/texts.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { textLinkClass } from '../../../ui/controls/text-link.tsx'
import { PersonProse } from '../../../ui/facts/person-text.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { LevelBadge } from '../../level-badge.tsx'
import { Letter } from '../letter.tsx'
import type { Published } from '../rows.ts'

interface Props {
  readonly title: string
  readonly content: string
  readonly link: string
  readonly level: Published['level']
}

type View = 'bell' | 'page' | 'letter'

/** Shows what users will get, while it is written. */
export function NotificationPreview(written: Props) {
  const { publishing } = useTexts()
  const [view, setView] = useState<View>('page')
  return (
    <section
      aria-label={publishing.preview}
      className="flex flex-col gap-3 rounded-lg border border-line border-dashed p-4"
    >
      <Segments label={publishing.preview} value={view} options={publishing.previews} onChange={setView} />
      {view === 'bell' && <InBell {...written} />}
      {view === 'page' && <OnPage {...written} />}
      {view === 'letter' && <InLetter {...written} />}
    </section>
  )
}

function OnPage({ title, content, link, level }: Props) {
  const { publishing, notifications } = useTexts()
  return (
    <div>
      <p dir="auto" className="wrap-anywhere font-semibold">
        {title || publishing.headline} <LevelBadge level={level} />
      </p>
      <PersonProse text={content || '…'} piecesOf={announcedPieces} className="mt-1 text-ink-soft" />
      {link && <p className={`mt-1.5 text-small ${textLinkClass}`}>{notifications.open}</p>}
    </div>
  )
}

/** Drawn like the element, whose look is the product's own. */
function InBell(written: Props) {
  const { nav } = useTexts()
  return (
    <div className="flex flex-col items-end gap-2">
      <span className="inline-flex items-center gap-1.5 rounded-md border border-line px-2.5 py-1">
        <Icon name="bell" className="size-4" />
        <span aria-hidden="true" className="rounded-full bg-accent px-1.5 text-tiny text-on-accent">
          1
        </span>
      </span>
      <div className="w-full max-w-80 rounded-md border border-line p-3 text-small shadow-card">
        <p className="mb-2 font-medium">{nav.notifications}</p>
        <div className="max-h-56 overflow-y-auto border-accent border-s-3 ps-2">
          <OnPage {...written} />
        </div>
      </div>
    </div>
  )
}

const pauseMs = 400
/** The address of the preview contains the text, so it is cut. */
const mostLetters = 2_000

function InLetter({ title, content, link }: Props) {
  const { publishing } = useTexts()
  const { language: spoken } = useSpoken()
  const { languages } = useClientConfig().brand
  const language = languages.find((one) => one === spoken) ?? languages[0] ?? 'en'
  const shortened = content.length > mostLetters ? `${content.slice(0, mostLetters)}…` : content
  const written = new URLSearchParams({ kind: 'announcement', language, title, content: shortened, link })
  return <Letter title={publishing.letterNamed} query={useSettled(String(written))} />
}

/** The value once it has stayed the same for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
