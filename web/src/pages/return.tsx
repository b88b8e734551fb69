import { useEffect, useState } from 'react'
import { Front } from '../layout/front.tsx'
import { Navigate, useSearchParams } from '../routing/router.tsx'
import { productAddress } from '../routing/safe-address.ts'
import { useClientConfig, useSession } from '../server/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { buttonClass } from '../ui/controls/button.tsx'
import { TextLink } from '../ui/controls/text-link.tsx'

/** Redirects to the product that sent the user to sign in. */
export function Return() {
  const { returning } = useTexts()
  const [search] = useSearchParams()
  const { return_origins } = useClientConfig()
  const { data: signedIn } = useSession()
  const to = search.get('to')
  const address = productAddress(to, [location.origin, ...return_origins])
  const [isAgain] = useState(() => address !== undefined && returnedJustNow(address))
  const leaves = Boolean(signedIn) && address !== undefined && !isAgain
  useEffect(() => {
    if (leaves && address !== undefined) leaveFor(address)
  }, [leaves, address])
  if (signedIn === null) return <Navigate to={`/sign-in?${new URLSearchParams({ return_to: to ?? '' })}`} replace />

  const { host, hostname } = new URL(address ?? location.origin)
  const again = hostname === location.hostname ? returning.again : returning.againElsewhere
  return (
    <Front
      title={address === undefined ? returning.foreignTitle : returning.title}
      lead={address === undefined ? returning.foreignText : isAgain ? again(host) : returning.lead(host)}
      below={<TextLink to="/">{returning.home}</TextLink>}
    >
      {address !== undefined && (
        <a href={address} className={buttonClass({ look: 'primary' })}>
          {returning.submit(host)}
        </a>
      )}
    </Front>
  )
}

const KEY = 'returned'
const JUST_NOW_MILLISECONDS = 10_000

/** A product that does not accept the session sends its visitor back at once; this prevents a redirect loop. */
function returnedJustNow(address: string): boolean {
  const [origin, at = '0'] = sessionStorage.getItem(KEY)?.split(' ') ?? []
  return origin === new URL(address).origin && Date.now() - Number(at) < JUST_NOW_MILLISECONDS
}

function leaveFor(address: string): void {
  sessionStorage.setItem(KEY, `${new URL(address).origin} ${Date.now()}`)
  location.replace(address)
}
