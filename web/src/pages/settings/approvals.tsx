import { useQuery, useQueryClient } from '@tanstack/react-query'
import { exactly } from '../../../../src/rules/one-line.ts'
import { useClientName } from '../../client-name.ts'
import { useAct } from '../../server/act.ts'
import { call, type Output } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Time } from '../../ui/facts/time.tsx'
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
  const { approvals, consent } = useTexts()
  const { id, route, action, subject, input, service, created_at } = approval
  const client = useClientName()(approval)
  const name = service === null ? client : approvals.through(service, client)
  const act = action === null ? route : approvals.actions[action]
  const words = subject ? approvals.about(act, exactly(subject.name)) : act
  const decision = useDecision(id)
  const isDeciding = (approve: boolean) => decision.isPending && decision.variables === approve
  return (
    <li className="flex flex-col gap-3 py-4 first:pt-0 last:pb-0">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <bdi className="wrap-anywhere font-medium">{name}</bdi>
        <span className="text-ink-soft text-small">
          <Time at={created_at} />
        </span>
      </p>
      <p className="wrap-anywhere">
        <bdi>{words}</bdi>
      </p>
      <p className="wrap-anywhere font-mono text-small">{route}</p>
      <figure aria-label={approvals.input}>
        <pre
          dir="ltr"
          className="wrap-anywhere whitespace-pre-wrap rounded-md bg-sunken px-3 py-2 font-mono text-small"
        >
          {exactly(JSON.stringify(input, null, 2))}
        </pre>
      </figure>
      <div className="flex flex-wrap gap-3">
        <Button
          look="primary"
          aria-label={approvals.approveNamed(words, name)}
          isPending={isDeciding(true)}
          onPress={() => decision.mutate(true)}
        >
          {consent.approve}
        </Button>
        <Button
          aria-label={approvals.denyNamed(words, name)}
          isPending={isDeciding(false)}
          onPress={() => decision.mutate(false)}
        >
          {consent.deny}
        </Button>
      </div>
      <Failure error={decision.error} />
    </li>
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
