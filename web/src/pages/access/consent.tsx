import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useClientName } from '../../client-name.ts'
import { Front } from '../../layout/front.tsx'
import { Navigate, useLocation, useSearchParams } from '../../routing/router.tsx'
import { isAdministrative, may } from '../../scope-tiers.ts'
import { useAct } from '../../server/act.ts'
import { ApiError, call } from '../../server/api.ts'
import { useSession } from '../../server/session.ts'
import { useTexts } from '../../texts/texts.tsx'
import { ArchMark } from '../../ui/arch-mark.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { SentenceWith } from '../../ui/facts/person-text.tsx'
import { ScopeList } from '../../ui/facts/scope-list.tsx'
import { LoadFailure } from '../../ui/lists/loaded.tsx'
import { Skeleton } from '../../ui/lists/skeleton.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { Notice } from '../../ui/messages/notice.tsx'
import {
  ActsIn,
  type AuthorizationRequest,
  ConsentAccount,
  ConsentCode,
  ConsentFacts,
  FoldedFacts,
  JoinedLogos,
  ReturnsTo,
} from './consent-facts.tsx'

export function Consent() {
  const { data: signedIn } = useSession()
  const { pathname, search } = useLocation()
  const [parameters] = useSearchParams()
  const requestId = parameters.get('request_id')
  if (!requestId) return <Navigate to="/oauth/authorize" replace />
  if (signedIn === null) {
    return <Navigate to={`/sign-in?${new URLSearchParams({ next: pathname + search })}`} replace />
  }
  return <Request key={requestId} requestId={requestId} />
}

function Request({ requestId }: { readonly requestId: string }) {
  const { authorize } = useTexts()
  const [answer, setAnswer] = useState<Answer>()
  const request = useQuery({
    queryKey: ['authorization', requestId],
    queryFn: () => call('/api/oauth/get_authorization', { request_id: requestId }),
    staleTime: Number.POSITIVE_INFINITY,
  })

  if (answer) return <Done answer={answer} kind={request.data?.kind ?? 'tool'} />
  if (isGone(request.error)) return <Expired />
  if (!request.data) {
    return <Front title={authorize.title}>{request.error ? <LoadFailure query={request} /> : <Skeleton />}</Front>
  }
  return <Decide requestId={requestId} request={request.data} onAnswered={setAnswer} />
}

const isGone = (error: Error | null) => error instanceof ApiError && error.status === 404

function Expired() {
  const { consent } = useTexts()
  return <Front title={consent.expiredTitle} lead={consent.expiredText} />
}

type Answer = 'approved' | 'denied' | 'returning'

interface DecideProps {
  readonly requestId: string
  readonly request: AuthorizationRequest
  onAnswered(answer: Answer): void
}

function Decide({ requestId, request, onAnswered }: DecideProps) {
  const { consent } = useTexts()
  const { data: signedIn } = useSession()
  const name = useClientName()(request)
  const scopes = request.scopes.map(({ scope }) => scope)
  const isAllowed = scopes.every((scope) => (signedIn ? may(signedIn.user, scope) : !isAdministrative(scope)))
  const [organization, setOrganization] = useState(request.organization_id)
  const chosen = request.organizations.length > 0 && { organization_id: organization }
  const decide = useAct({
    act: (approve: boolean) => call('/api/oauth/decide_authorization', { request_id: requestId, approve, ...chosen }),
    onDone: ({ redirect_to }, approve) => {
      onAnswered(redirect_to ? 'returning' : approve ? 'approved' : 'denied')
      if (redirect_to) location.assign(redirect_to)
    },
  })
  if (isGone(decide.error)) return <Expired />
  if (!request.needs_consent) return <Reconfirm name={name} decide={decide} />
  const isApplication = request.kind === 'application'
  const title = isApplication ? consent.continueTo : consent.title
  return (
    <Front
      title={<SentenceWith sentence={title} words={name} />}
      tabTitle={title(name)}
      lead={isApplication ? consent.applicationLead : consent.lead}
      above={isApplication && <JoinedLogos request={request} />}
      width="wide"
    >
      {request.user_code && <ConsentCode code={request.user_code} />}
      {!isApplication && <ConsentFacts request={request} />}
      <section className="flex flex-col gap-3">
        <h2 className="font-semibold">{consent.scopes}</h2>
        <ScopeList scopes={scopes} words={wordsOf(request)} />
      </section>
      <ActsIn request={request} chosen={organization} onChoose={setOrganization} />
      {request.client_registered_itself && (
        <Notice look="warning" title={consent.unchecked}>
          {consent.uncheckedHint}
        </Notice>
      )}
      {!isAllowed && (
        <Notice look="warning" title={consent.forbidden}>
          {consent.forbiddenHint}
        </Notice>
      )}
      <Decision decide={decide} approve={isAllowed && consent.approve} />
      <div className="flex flex-col gap-1">
        <ReturnsTo request={request} />
        <p className="text-small text-ink-soft">{consent.expires}</p>
      </div>
      {isApplication && <FoldedFacts request={request} />}
      <ConsentAccount />
    </Front>
  )
}

interface Deciding {
  readonly decide: {
    readonly error: Error | null
    readonly isPending: boolean
    mutate(approve: boolean): void
  }
}

interface DecisionProps extends Deciding {
  /** The label of the button that approves; `false` leaves the user only the denial. */
  readonly approve: string | false
}

function Decision({ decide: { error, isPending, mutate }, approve }: DecisionProps) {
  const { consent } = useTexts()
  return (
    <>
      <Failure error={error} words={consent.failures} />
      <div className="grid grid-cols-2 gap-3">
        <Button isDisabled={isPending} onPress={() => mutate(false)}>
          {consent.deny}
        </Button>
        {approve && (
          <Button look="primary" isPending={isPending} onPress={() => mutate(true)}>
            {approve}
          </Button>
        )}
      </div>
    </>
  )
}

/** The user has agreed before: the decision asks for a credential, and then leads back. */
function Reconfirm({ name, decide }: Deciding & { readonly name: string }) {
  const { consent, common } = useTexts()
  const { mutate } = decide
  const hasBegun = useRef(false)
  useEffect(() => {
    if (hasBegun.current) return
    hasBegun.current = true
    mutate(true)
  }, [mutate])
  return (
    <Front
      title={<SentenceWith sentence={consent.againTitle} words={name} />}
      tabTitle={consent.againTitle(name)}
      lead={consent.againLead}
    >
      <Decision decide={decide} approve={common.continue} />
      <ConsentAccount />
    </Front>
  )
}

/** Uses the administrator's words; the catalogue's come first if it has any. */
function wordsOf({ scopes }: AuthorizationRequest): Record<string, string> {
  return Object.fromEntries(scopes.map(({ scope, description }) => [scope, description]))
}

interface DoneProps {
  readonly answer: Answer
  readonly kind: AuthorizationRequest['kind']
}

function Done({ answer, kind }: DoneProps) {
  const { consent } = useTexts()
  const isApplication = kind === 'application'
  const words = {
    approved: [consent.approvedTitle, consent.approvedText],
    denied: [consent.deniedTitle, consent.deniedText],
    returning: [isApplication ? consent.leading : consent.returning, isApplication ? '' : consent.approvedText],
  } as const
  const [title, text] = words[answer]
  return (
    <Front title={title} lead={text}>
      <div role="status" className="flex flex-col items-center gap-3 pt-2 text-ink-soft">
        <ArchMark icon={answer === 'denied' ? 'cross' : 'check'} />
        {kind === 'tool' && consent.closeTab}
      </div>
    </Front>
  )
}
