import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { exactly } from '../../../../src/rules/one-line.ts'
import { scopeOfRoute } from '../../../../src/rules/scopes.ts'
import { useClientName } from '../../client-name.ts'
import { useCountdown } from '../../forms/countdown.ts'
import { useSearchParams } from '../../routing/router.tsx'
import { useAct } from '../../server/act.ts'
import { call, type Output } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Facts } from '../../ui/facts/facts.tsx'
import { SentenceWith } from '../../ui/facts/person-text.tsx'
import { LoadFailure } from '../../ui/lists/loaded.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { actsKey, approvalsQuery } from './queries.ts'

type Approval = Output<'/api/list_approvals'>['items'][number]

/** Short enough to notice a decision on another device, or an expiry. */
const refetchMs = 5_000

/** Calls that wait for the user. A new one arrives with its notification. */
export function Approvals() {
  const { approvals } = useTexts()
  const list = useQuery({
    ...approvalsQuery,
    refetchInterval: ({ state }) => (state.data?.total ? refetchMs : false),
  })
  const waiting = list.data?.items ?? []
  if (list.error) return <LoadFailure query={list} />
  if (waiting.length === 0) return null
  return (
    <Card title={approvals.title} lead={approvals.lead}>
      <ul aria-label={approvals.title} className="flex flex-col divide-y divide-line">
        {waiting.map((approval) => (
          <Waiting key={approval.id} approval={approval} />
        ))}
      </ul>
    </Card>
  )
}

function Waiting({ approval }: { readonly approval: Approval }) {
  const { approvals } = useTexts()
  const { name, words } = useAsked(approval)
  const [search] = useSearchParams()
  const place = useRef<HTMLLIElement>(null)
  const isAsked = search.get('approval') === approval.id
  useEffect(() => {
    if (isAsked) place.current?.focus()
  }, [isAsked])
  return (
    <li ref={place} tabIndex={-1} className="flex flex-col gap-3 rounded-sm py-5 first:pt-0 last:pb-0">
      <div>
        <p className="wrap-anywhere text-ink-soft">
          <SentenceWith sentence={approvals.wants} words={name} />
        </p>
        <p className="wrap-anywhere font-semibold text-dialog">
          <bdi>{words}</bdi>
        </p>
      </div>
      <ApprovalCard approval={approval} />
    </li>
  )
}

/** Who asks, and for what. */
function useAsked(approval: Approval) {
  const { approvals } = useTexts()
  const { route, action, subject, service } = approval
  const client = useClientName()(approval)
  const act = action === null ? route : approvals.actions[action]
  return {
    name: service === null ? client : approvals.through(service, client),
    words: subject ? approvals.about(act, exactly(subject.name)) : act,
  }
}

/** All of a call but who asks for what: the same on the page of tools and in a notification. */
export function ApprovalCard({ approval }: { readonly approval: Approval }) {
  const { approvals, consent, scopes } = useTexts()
  const { id, route, input, expires_at } = approval
  const { name, words } = useAsked(approval)
  const scope = scopeOfRoute(route)
  const decision = useDecision(id)
  const isDeciding = (approve: boolean) => decision.isPending && decision.variables === approve
  return (
    <>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 text-ink-soft text-small">
        {scope && <p>{scopes[scope]}</p>}
        <TimeLeft until={expires_at} />
      </div>
      <figure aria-label={approvals.input}>
        <Sent input={input} />
      </figure>
      <div className="grid grid-cols-2 gap-3">
        <Button
          look="primary"
          className="h-11"
          aria-label={approvals.approveNamed(words, name)}
          isPending={isDeciding(true)}
          onPress={() => decision.mutate(true)}
        >
          {consent.approve}
        </Button>
        <Button
          className="h-11"
          aria-label={approvals.denyNamed(words, name)}
          isPending={isDeciding(false)}
          onPress={() => decision.mutate(false)}
        >
          {consent.deny}
        </Button>
      </div>
      <details className="text-small">
        <summary className="w-fit cursor-pointer rounded-sm text-ink-soft">{approvals.details}</summary>
        <p className="wrap-anywhere mt-2 font-mono">{route}</p>
        <pre dir="ltr" className="wrap-anywhere mt-1 whitespace-pre-wrap rounded-md bg-sunken px-3 py-2 font-mono">
          {exactly(JSON.stringify(input, null, 2))}
        </pre>
      </details>
      <Failure error={decision.error} />
    </>
  )
}

/** Everything that is sent, in words where there are some: a text as it would be read, all else by its name. */
function Sent({ input }: { readonly input: unknown }) {
  const { approvals } = useTexts()
  const fields = typeof input === 'object' && input !== null ? Object.entries(input) : []
  if (fields.length === 0) return <p className="text-ink-soft">{approvals.sendsNothing}</p>
  return (
    <div className="rounded-md border border-line bg-sunken/50 px-4 py-3">
      <Facts
        facts={fields.map(([name, value]) => [
          approvals.fields[name] ?? exactly(name),
          <bdi key={name} className="whitespace-pre-wrap">
            {exactly(typeof value === 'string' ? value : JSON.stringify(value))}
          </bdi>,
        ])}
      />
    </div>
  )
}

function TimeLeft({ until }: { readonly until: number }) {
  const { approvals } = useTexts()
  const { left, start } = useCountdown()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the function is another one at each rendering.
  useEffect(() => start((until - Date.now()) / 1000), [until])
  if (left === 0) return null
  const seconds = String(left % 60).padStart(2, '0')
  return (
    <span className="tabular ms-auto whitespace-nowrap">
      {approvals.timeLeft(`${Math.floor(left / 60)}:${seconds}`)}
    </span>
  )
}

function useDecision(id: string) {
  const { approvals } = useTexts()
  const queryClient = useQueryClient()
  return useAct({
    act: (approve: boolean) => call('/api/decide_approval', { id, approve }),
    done: ({ status, result }) => {
      if (status === 'denied') return approvals.denied
      return result && result.status < 400 ? approvals.approved : approvals.refused
    },
    refreshes: [approvalsQuery.queryKey, actsKey],
    onFailed: () => queryClient.invalidateQueries({ queryKey: approvalsQuery.queryKey }),
  })
}
