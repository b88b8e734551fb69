import { type ReactNode, useEffect, useRef } from 'react'
import { useLook } from '../server/brand.ts'
import { useClientConfig } from '../server/session.ts'
import { LanguageSelect } from '../ui/controls/language-select.tsx'
import { ThemeSelect } from '../ui/controls/theme-select.tsx'
import { PolicyLinks } from '../ui/facts/policy-links.tsx'
import { SupportLine } from '../ui/facts/support-line.tsx'
import { Logo, useIsBranded } from '../ui/logo.tsx'
import { useTitle } from '../ui/page.tsx'
import { noteShownPage, useAppearance } from './arrival.ts'

interface Props {
  readonly title: ReactNode
  /** The title of the browser's tab, if the title is not plain text. */
  readonly tabTitle?: string
  readonly lead?: ReactNode
  /** Shown above the title, inside the card. */
  readonly above?: ReactNode
  readonly below?: ReactNode
  readonly width?: 'narrow' | 'wide'
  readonly children?: ReactNode
}

/** Layout of the signed-out pages: one card under the arches. */
export function Front({ title, tabTitle, lead, above, below, width = 'narrow', children }: Props) {
  useTitle(tabTitle ?? String(title))
  const isBranded = useIsBranded()
  const { card, heading } = useFirstField()
  const appearance = useAppearance()
  return (
    <div className="gh-page relative flex min-h-dvh flex-col overflow-hidden">
      {!isBranded && <Arches />}
      <main className="relative flex grow flex-col items-center px-4 pt-10 pb-8 sm:pt-[11vh]">
        <Sign />
        <div
          ref={card}
          className={`gh-card w-full rounded-xl border border-line bg-surface p-6 shadow-float sm:p-8 ${appearance} ${width === 'wide' ? 'max-w-lg' : 'max-w-[26rem]'}`}
        >
          {above}
          <h1
            ref={heading}
            tabIndex={-1}
            className="gh-title wrap-anywhere font-semibold text-front leading-tight tracking-[-0.02em] outline-none"
          >
            {title}
          </h1>
          {lead && <p className="gh-lead wrap-anywhere mt-2 text-ink-soft">{lead}</p>}
          <div className="mt-6 flex flex-col gap-5">{children}</div>
        </div>
        {below && <p className="wrap-anywhere mt-6 max-w-lg text-center text-ink-soft">{below}</p>}
      </main>
      <footer className="gh-foot relative flex flex-wrap items-center justify-center gap-x-6 gap-y-1 px-4 pb-5">
        <SupportLine />
        <PolicyLinks />
        <LanguageSelect />
        <ThemeSelect />
      </footer>
    </div>
  )
}

/** The operator's name, or that of an application with a logo of its own; it leads to the operator's own pages if there are any. */
function Sign() {
  const { app_name, brand } = useClientConfig()
  const name = useLook()?.name ?? app_name
  const signClass = 'gh-sign mb-7 flex max-w-lg items-center gap-2.5'
  const content = (
    <>
      <Logo />
      <bdi className="wrap-anywhere font-semibold text-dialog tracking-[-0.015em]">{name}</bdi>
    </>
  )
  if (brand.home_url === '') return <div className={signClass}>{content}</div>
  return (
    <a href={brand.home_url} className={`rounded-md ${signClass}`}>
      {content}
    </a>
  )
}

/** Each step begins in its first empty field; without a field, at its heading. */
function useFirstField() {
  const card = useRef<HTMLDivElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    noteShownPage()
    const fields = [...(card.current?.querySelectorAll<HTMLInputElement>('form input:enabled') ?? [])]
    const visible = fields.filter(({ type }) => type !== 'hidden')
    const first = visible.find(({ value }) => value === '') ?? visible[0]
    ;(first ?? heading.current)?.focus({ preventScroll: true })
  }, [])
  return { card, heading }
}

const radii = [210, 300, 400, 510, 630, 760]

function Arches() {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 1600 1000"
      preserveAspectRatio="xMidYMin slice"
      className="pointer-events-none absolute inset-0 h-full w-full text-accent"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.2"
    >
      {radii.map((radius, index) => (
        <path
          key={radius}
          d={`M${800 - radius} 1000V${560}a${radius} ${radius} 0 0 1 ${2 * radius} 0V1000`}
          opacity={0.26 - index * 0.038}
        />
      ))}
    </svg>
  )
}
