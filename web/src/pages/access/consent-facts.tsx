import { type ReactNode, useState } from 'react'
import { useClientName } from '../../client-name.ts'
import { useDevice } from '../../device.ts'
import type { Output } from '../../server/api.ts'
import { useSession } from '../../server/session.ts'
import { useSignOut } from '../../server/sign-out.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Time } from '../../ui/facts/time.tsx'

export type AuthorizationRequest = Output<'/api/oauth/get_authorization'>

/** Renders nothing if the picture cannot be loaded. */
export function ConsentLogo({ url }: { readonly url: string | null }) {
  const [isBroken, setBroken] = useState(false)
  if (!url || isBroken) return null
  return (
    <img
      src={url}
      alt=""
      onError={() => setBroken(true)}
      className="logo-edge h-14 max-w-full self-start rounded-lg object-contain object-left"
    />
  )
}

export function ConsentCode({ code }: { readonly code: string }) {
  const { consent } = useTexts()
  return (
    <section className="rounded-lg border border-transparent bg-accent-soft px-4 py-4 text-center">
      <h2 className="text-small text-ink-soft">{consent.compare}</h2>
      <p className="tabular my-1 font-mono font-semibold text-figure tracking-[0.12em]">{code}</p>
      <p className="text-small text-ink-soft">{consent.compareHint}</p>
    </section>
  )
}

export function ConsentFacts({ request }: { readonly request: AuthorizationRequest }) {
  const { consent } = useTexts()
  const from = [useDevice()(request.user_agent), request.ip].filter(Boolean).join(' · ')
  return (
    <dl className="divide-y divide-line rounded-lg border border-line">
      <Fact name={consent.client}>
        <bdi>{useClientName()(request)}</bdi>
      </Fact>
      {request.client_home_url && (
        <Fact name={consent.home}>
          <a href={request.client_home_url} className="underline underline-offset-4" rel="noreferrer">
            {request.client_home_url}
          </a>
        </Fact>
      )}
      <Fact name={consent.target}>
        <span className="font-mono text-small">{request.target_origin}</span>
      </Fact>
      <Fact name={consent.from}>{from}</Fact>
      <Fact name={consent.started}>
        <Time at={request.created_at} />
      </Fact>
    </dl>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap gap-x-3 px-4 py-2.5 text-compact">
      <dt className="w-28 text-ink-soft">{name}</dt>
      <dd className="wrap-anywhere min-w-0 grow basis-32 font-medium">{children}</dd>
    </div>
  )
}

export function ConsentAccount() {
  const { consent } = useTexts()
  const { data: signedIn } = useSession()
  const signOut = useSignOut(location.href)
  if (!signedIn) return null
  return (
    <div className="-mb-2 flex flex-wrap items-center justify-between gap-2 border-line border-t pt-4 text-small text-ink-soft">
      <span>{consent.signedInAs(signedIn.user.email)}</span>
      <Button
        look="plain"
        size="small"
        className="-mx-3 forced-colors:mx-0"
        isPending={signOut.isPending}
        onPress={() => signOut.mutate()}
      >
        {consent.switch}
      </Button>
    </div>
  )
}
