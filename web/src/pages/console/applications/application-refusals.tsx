import { useQuery } from '@tanstack/react-query'
import { call, type Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { useAgo } from '../../../ui/facts/time.tsx'
import { LoadFailure } from '../../../ui/lists/loaded.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { consoleKeys } from '../queries.ts'

type Refusal = Output<'/api/admin/list_application_refusals'>['items'][number]

/** The refusals of an application in the last day, each kind once, with what to do about it. */
export function ApplicationRefusals({ id }: { readonly id: string }) {
  const { applications } = useTexts()
  const refusals = useQuery({
    queryKey: [...consoleKeys.applications, 'refusals', id],
    queryFn: () => call('/api/admin/list_application_refusals', { id }),
  })
  if (refusals.error) return <LoadFailure query={refusals} />
  const kinds = kindsOf(refusals.data?.items ?? [])
  if (kinds.length === 0) return null
  return (
    <Notice look="warning" title={applications.refused}>
      <ul className="mt-2 flex flex-col gap-3">
        {kinds.map(([newest, ...others]) => (
          <Kind key={`${newest.endpoint} ${newest.error_description}`} newest={newest} times={others.length + 1} />
        ))}
      </ul>
    </Notice>
  )
}

function Kind({ newest, times }: { readonly newest: Refusal; readonly times: number }) {
  const { applications } = useTexts()
  const ago = useAgo()
  const { at, error, error_description, endpoint, ip } = newest
  const advice = adviceFor(newest)
  return (
    <li>
      <p className="text-ink">
        <code>{error}</code> {error_description}
      </p>
      {advice && <p>{applications.advice[advice]}</p>}
      <p className="text-tiny">{applications.refusedWhere(times, ago(at), endpoint, ip)}</p>
    </li>
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

function adviceFor({ error, error_description }: Refusal): Advice | undefined {
  const [parameter = ''] = error_description.split(' ')
  return ADVICE[parameter] ?? ADVICE[error]
}
