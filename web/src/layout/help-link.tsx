import { useLocation } from '../routing/router.tsx'
import { useClientConfig } from '../server/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { helpAnchorAt } from './help.ts'

/** Leads to what the documents say about the page; what is typed there stays. */
export function HelpLink() {
  const { nav } = useTexts()
  const { docs_enabled } = useClientConfig()
  const anchor = helpAnchorAt(useLocation().pathname)
  if (!docs_enabled || !anchor) return null
  return (
    <a
      href={`/docs/console#${anchor}`}
      target="_blank"
      rel="noopener"
      hrefLang="en"
      aria-label={nav.help}
      title={nav.help}
      className="touch group -my-2.5 grid size-6 shrink-0 place-items-center text-ink-soft text-small hover:text-ink"
    >
      <span className="grid size-6 place-items-center rounded-full border border-line-strong group-hover:border-ink-soft">
        ?
      </span>
    </a>
  )
}
