import { useClientConfig } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { textLinkClass } from '../controls/text-link.tsx'

/** The operator's terms and privacy notice, if they are set. */
export function PolicyLinks() {
  const { foot } = useTexts()
  const { brand } = useClientConfig()
  const links = [
    { href: brand.terms_url, words: foot.terms },
    { href: brand.privacy_url, words: foot.privacy },
  ].filter(({ href }) => href !== '')
  return links.map(({ href, words }) => (
    <a key={words} href={href} className={`text-small ${textLinkClass}`}>
      {words}
    </a>
  ))
}
