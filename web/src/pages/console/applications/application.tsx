import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Navigate, useLocation, useNavigateNext } from '../../../routing/router.tsx'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { buttonClass } from '../../../ui/controls/button.tsx'
import { CopyButton } from '../../../ui/controls/copy-button.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Time } from '../../../ui/facts/time.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { comeBack } from '../../../ui/lists/opened-row.ts'
import { Rows } from '../../../ui/lists/rows.tsx'
import { areSettled } from '../../../ui/lists/settled.ts'
import { Skeleton } from '../../../ui/lists/skeleton.tsx'
import { intoView } from '../../../ui/messages/into-view.ts'
import { Notice } from '../../../ui/messages/notice.tsx'
import { Page } from '../../../ui/page.tsx'
import { Place } from '../../place.tsx'
import { idIn } from '../id-in.ts'
import { type Application, applicationQuery, productScopesQuery, refusalsQuery, verifiersQuery } from '../queries.ts'
import { ApplicationActions } from './application-actions.tsx'
import { ApplicationBrand } from './application-brand.tsx'
import { ApplicationSettings } from './application-editor.tsx'
import { ApplicationRefusals } from './application-refusals.tsx'
import { BackEnds } from './back-ends.tsx'
import { Connecting } from './connecting.tsx'
import { keepsSecret, signInAddress } from './connecting-code.ts'
import { dropSecret, freshSecretOf } from './fresh-secret.ts'

/** Everything about one application: how to connect it, who uses it, what it was refused, and its settings. */
export function ConsoleApplication() {
  const { applications } = useTexts()
  const id = idIn(useLocation().pathname)
  const query = useQuery(applicationQuery(id))
  const isSettled = areSettled([useQuery(refusalsQuery(id)), useQuery(productScopesQuery), useQuery(verifiersQuery)])
  const title = query.data?.name ?? applications.title
  if (id === '') return <Navigate to="/console/applications" replace />
  return (
    <Page
      title={<bdi>{title}</bdi>}
      tabTitle={title}
      lead={
        <TextLink to="/console/applications" onClick={comeBack}>
          {applications.back}
        </TextLink>
      }
      actions={query.data && <TrySignIn application={query.data} />}
    >
      <Loaded query={query} skeleton={<Skeleton rows={5} />}>
        {(application) => (isSettled ? <Everything key={id} application={application} /> : <Skeleton rows={5} />)}
      </Loaded>
    </Page>
  )
}

/** Opens the request that the application would send, in a tab of its own. */
function TrySignIn({ application }: { readonly application: Application }) {
  const { applications } = useTexts()
  const { kind, redirect_uris, origin } = application
  const [address] = useState(() => signInAddress(application))
  if (kind === 'service' || origin !== 'administrator' || redirect_uris.length === 0) return null
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener"
      title={applications.tryText}
      className={buttonClass({ look: 'primary' })}
    >
      {applications.trySignIn}
    </a>
  )
}

function Everything({ application }: { readonly application: Application }) {
  const { applications } = useTexts()
  const { id, origin } = application
  const navigate = useNavigateNext()
  const [secret, setSecret] = useState(() => freshSecretOf(id))
  useEffect(() => dropSecret, [])
  const isOurs = origin === 'administrator'
  const hasRefusals = useQuery(refusalsQuery(id)).data?.total !== 0
  const refusals = (
    <Place id="refusals">
      <ApplicationRefusals id={id} />
    </Place>
  )
  return (
    <>
      {secret && <Secret key={secret} secret={secret} />}
      {!isOurs && <Notice look="info">{applications.describesItself}</Notice>}
      {hasRefusals && refusals}
      <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <Place id="connect">
            <Connecting application={application} secret={secret} />
          </Place>
          {isOurs && (
            <Place id="settings">
              <ApplicationSettings application={application} />
            </Place>
          )}
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          {isOurs && !hasRefusals && refusals}
          {application.kind !== 'service' && (
            <Place id="users">
              <SignIns application={application} />
            </Place>
          )}
          {isOurs && keepsSecret(application) && (
            <Place id="back-ends">
              <BackEnds application={application} />
            </Place>
          )}
          <Place id="actions">
            <ApplicationActions
              application={application}
              onSecret={setSecret}
              onDeleted={() => navigate('/console/applications')}
            />
          </Place>
        </div>
      </div>
      {isOurs && application.kind !== 'service' && (
        <Place id="look">
          <ApplicationBrand application={application} />
        </Place>
      )}
    </>
  )
}

/** Shown once: right after it was made. */
function Secret({ secret }: { readonly secret: string }) {
  const { applications, config, connecting } = useTexts()
  return (
    <div ref={intoView} className="scroll-my-4">
      <Notice
        look="warning"
        title={applications.secretTitle}
        action={<CopyButton text={secret} label={connecting.copy(config.clientSecret)} />}
      >
        <code className="break-all text-ink">{secret}</code>
        <p className="mt-1">{applications.secretText}</p>
      </Notice>
    </div>
  )
}

function SignIns({ application: { id, users, sign_ins } }: { readonly application: Application }) {
  const { applications } = useTexts()
  return (
    <Card
      title={applications.users}
      lead={applications.usersConnected(users)}
      action={
        <TextLink to={`/console/audit?${new URLSearchParams({ subject_id: id })}`}>{applications.audit}</TextLink>
      }
    >
      <h3 className="mb-2 font-medium text-small">{applications.signIns}</h3>
      <Rows
        items={sign_ins}
        none={applications.noSignIns}
        keyOf={({ user_id, at }) => `${user_id} ${at}`}
        className="flex items-baseline justify-between gap-4 py-2 text-compact"
      >
        {({ user_id, email, at }) => (
          <>
            <span className="min-w-0 truncate" title={email}>
              <TextLink to={`/console/users/${user_id}`}>
                <PersonText>{email}</PersonText>
              </TextLink>
            </span>
            <span className="text-small text-ink-soft">
              <Time at={at} />
            </span>
          </>
        )}
      </Rows>
    </Card>
  )
}
