import { useQuery } from '@tanstack/react-query'
import { useLocation } from '../../../routing/router.tsx'
import type { Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { useAgo } from '../../../ui/facts/time.tsx'
import { LoadFailure } from '../../../ui/lists/loaded.tsx'
import { Rows } from '../../../ui/lists/rows.tsx'
import { refusalsQuery } from '../queries.ts'

type Refusal = Output<'/api/admin/list_application_refusals'>['items'][number]

/** The refusals of an application in the last day, each kind once, with what to do about it. */
export function ApplicationRefusals({ id }: { readonly id: string }) {
  const { applications } = useTexts()
  const refusals = useQuery(refusalsQuery(id))
  const kinds = kindsOf(refusals.data?.items ?? [])
  return (
    <Card title={applications.refused}>
      {refusals.error ? (
        <LoadFailure query={refusals} />
      ) : (
        <Rows
          items={kinds}
          none={applications.noRefusals}
          keyOf={([{ endpoint, error_description }]) => `${endpoint} ${error_description}`}
          className="wrap-anywhere flex flex-col gap-1 py-3 text-compact"
        >
          {([newest, ...others]) => <Kind newest={newest} times={others.length + 1} />}
        </Rows>
      )}
    </Card>
  )
}

function Kind({ newest, times }: { readonly newest: Refusal; readonly times: number }) {
  const { applications } = useTexts()
  const ago = useAgo()
  const { at, error, error_description, endpoint, ip } = newest
  const advice = adviceFor(newest)
  const { pathname, search } = useLocation()
  return (
    <>
      <p>
        <Badge look="warning">
          <code>{error}</code>
        </Badge>{' '}
        {error_description}
      </p>
      {advice && (
        <p className="font-medium">
          {applications.advice[advice]}{' '}
          <TextLink to={`${pathname}${search}#${PLACES[advice]}`}>{applications.places[PLACES[advice]]}</TextLink>
        </p>
      )}
      <p className="text-ink-soft text-small">{applications.refusedWhere(times, ago(at), endpoint, ip)}</p>
    </>
  )
}

type Kinds = readonly (readonly [Refusal, ...Refusal[]])[]

function kindsOf(items: readonly Refusal[]): Kinds {
  const kinds = new Map<string, [Refusal, ...Refusal[]]>()
  for (const item of items) {
    const kind = `${item.endpoint} ${item.error} ${item.error_description}`
    const same = kinds.get(kind)
    if (same) same.push(item)
    else kinds.set(kind, [item])
  }
  return [...kinds.values()]
}

type Advice = keyof ReturnType<typeof useTexts>['applications']['advice']

/** Keyed by the first word of the sentence, which names the parameter, otherwise by the error. */
const ADVICE: Readonly<Record<string, Advice>> = {
  code_challenge: 'pkce',
  redirect_uri: 'redirect',
  post_logout_redirect_uri: 'signOut',
  invalid_client: 'secret',
  invalid_scope: 'scope',
  invalid_grant: 'grant',
}

/** Where on the page it is done. */
const PLACES = {
  pkce: 'settings',
  redirect: 'settings',
  signOut: 'settings',
  secret: 'actions',
  scope: 'settings',
  grant: 'connect',
} as const satisfies Record<Advice, string>

function adviceFor({ error, error_description }: Refusal): Advice | undefined {
  const [parameter = ''] = error_description.split(' ')
  return ADVICE[parameter] ?? ADVICE[error]
}
