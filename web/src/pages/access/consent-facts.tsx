import { type ReactNode, useState } from 'react'
import { useClientName } from '../../client-name.ts'
import { useDevice } from '../../device.ts'
import type { Output } from '../../server/api.ts'
import { useSession } from '../../server/session.ts'
import { useSignOut } from '../../server/sign-out.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { SentenceWith } from '../../ui/facts/person-text.tsx'
import { Time } from '../../ui/facts/time.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Initial, Logo } from '../../ui/logo.tsx'
import { ActsInField } from './acts-in-field.tsx'

export type AuthorizationRequest = Output<'/api/oauth/get_authorization'>

/** The application's picture and the installation's, joined; the first letter of its name if it has none. */
export function JoinedLogos({ request }: { readonly request: AuthorizationRequest }) {
  const [isBroken, setBroken] = useState(false)
  const { client_logo_url: url, client_name } = request
  return (
    <div className="mb-5 flex items-center">
      {url && !isBroken ? (
        <img
          src={url}
          alt=""
          onError={() => setBroken(true)}
          className="logo-edge h-12 min-w-0 rounded-lg object-contain object-left"
        />
      ) : (
        <Initial name={client_name} className="size-12 rounded-lg text-card" />
      )}
      <span aria-hidden="true" className="h-0 w-5 shrink-0 border-line-strong border-t-2 border-dashed" />
      <span className="grid size-7 shrink-0 place-items-center rounded-full bg-accent-soft text-accent">
        <Icon name="link" className="size-4" />
      </span>
      <span aria-hidden="true" className="h-0 w-5 shrink-0 border-line-strong border-t-2 border-dashed" />
      <Logo size="large" />
    </div>
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

interface FactsProps {
  readonly request: AuthorizationRequest
}

/** Everything about the request of a tool: a user who was lured into entering a code sees that it is not their own. */
export function ConsentFacts({ request }: FactsProps) {
  const { consent } = useTexts()
  return (
    <dl className="divide-y divide-line rounded-lg border border-line">
      <Client request={request} />
      <Fact name={consent.target}>
        <span className="font-mono text-small">{request.target_origin}</span>
      </Fact>
      <Origin request={request} />
    </dl>
  )
}

/** The same of an application, folded: its user has just come from there. */
export function FoldedFacts({ request }: FactsProps) {
  const { consent } = useTexts()
  return (
    <details className="rounded-lg border border-line">
      <summary className="touch cursor-pointer rounded-lg px-4 py-2.5 text-small">{consent.details}</summary>
      <dl className="divide-y divide-line border-line border-t">
        <Client request={request} />
        <Origin request={request} />
      </dl>
    </details>
  )
}

function Client({ request }: FactsProps) {
  const { consent } = useTexts()
  return (
    <>
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
    </>
  )
}

function Origin({ request }: FactsProps) {
  const { consent } = useTexts()
  const from = [useDevice()(request.user_agent), request.ip].filter(Boolean).join(' · ')
  return (
    <>
      <Fact name={consent.from}>{from}</Fact>
      <Fact name={consent.started}>
        <Time at={request.created_at} />
      </Fact>
    </>
  )
}

interface ActsInProps extends FactsProps {
  /** The id of the organisation that the user chose; null for none. */
  readonly chosen: string | null
  onChoose(id: string | null): void
}

/** The organisation in which the access will act, for good: a choice, unless the application names one. */
export function ActsIn({ request: { organizations, organization_named }, chosen, onChoose }: ActsInProps) {
  const { consent } = useTexts()
  if (organizations.length === 0) return null
  if (organization_named) {
    return (
      <dl className="rounded-lg border border-line">
        <Fact name={consent.actsIn}>
          <bdi>{organizations[0]?.name}</bdi>
        </Fact>
      </dl>
    )
  }
  return <ActsInField organizations={organizations} value={chosen ?? ''} onChange={(id) => onChoose(id || null)} />
}

/** The host that the browser goes to next; of an app's own scheme, the scheme. */
export function ReturnsTo({ request: { redirect_uri } }: FactsProps) {
  const { consent } = useTexts()
  const url = redirect_uri === null ? null : URL.parse(redirect_uri)
  if (url === null) return null
  const words = url.host || url.protocol.slice(0, -1)
  return (
    <p className="wrap-anywhere text-small text-ink-soft">
      <SentenceWith sentence={consent.returnsTo} words={words} isStrong />
    </p>
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
