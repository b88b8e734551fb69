import { useClientConfig } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { textLinkClass } from '../controls/text-link.tsx'

/** The support address, at the foot of every page. */
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
