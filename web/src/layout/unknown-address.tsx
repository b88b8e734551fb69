import { Link } from '../routing/router.tsx'
import { useSession } from '../server/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { buttonClass } from '../ui/controls/button.tsx'
import { Front } from './front.tsx'
import { SignedInPages } from './signed-in-pages.tsx'

/** The frame of the page for an unknown address, which signed-out visitors can see too. */
export function UnknownAddress() {
  const { missing } = useTexts()
  const { data: signedIn } = useSession()
  if (signedIn !== null) return <SignedInPages />
  return (
    <Front title={missing.title} lead={missing.text}>
      <Link to="/" className={buttonClass({ look: 'primary' })}>
        {missing.action}
      </Link>
    </Front>
  )
}
