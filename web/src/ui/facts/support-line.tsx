import { useClientConfig } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { textLinkClass } from '../controls/text-link.tsx'

/** Whom to write to, at the foot of every page. */
export function SupportLine() {
  const { foot } = useTexts()
  const { support_email } = useClientConfig()
  return (
    <p className="wrap-anywhere text-small text-ink-soft">
      {foot.help}{' '}
      <a href={`mailto:${support_email}`} className={textLinkClass}>
        {support_email}
      </a>
    </p>
  )
}
