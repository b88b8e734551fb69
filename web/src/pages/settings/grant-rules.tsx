import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAct } from '../../server/act.ts'
import { call, type Input } from '../../server/api.ts'
import { useNumber } from '../../texts/numbers.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Select } from '../../ui/controls/select.tsx'
import { Time } from '../../ui/facts/time.tsx'
import { Loaded } from '../../ui/lists/loaded.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { actsQuery, type Grant, grantsQuery } from './queries.ts'

const limits = [10, 100, 1_000, 10_000] as const
const unlimited = 'none'

interface Props {
  readonly grant: Grant
  readonly name: string
}

/** The calls that wait for the user, and the number of calls a day. A choice takes effect at once. */
export function GrantRules({ grant, name }: Props) {
  const { access, common } = useTexts()
  const number = useNumber()
  const { id, approval, daily_limit } = grant
  const save = useAct({
    act: (changes: Omit<Input<'/api/update_grant'>, 'id'>) => call('/api/update_grant', { id, ...changes }),
    done: common.saved,
    refreshes: [grantsQuery.queryKey],
  })
  const offered = [...new Set([...limits, ...(daily_limit === null ? [] : [daily_limit])])]
  const options: Record<string, string> = {
    [unlimited]: access.noLimit,
    ...Object.fromEntries(offered.toSorted((a, b) => a - b).map((limit) => [limit, access.callsADay(number(limit))])),
  }
  return (
    <div className="flex flex-col gap-2">
      <Select
        label={access.approvalOf(name)}
        isLabelHidden
        value={approval}
        options={access.approvals}
        onChange={(chosen) => save.mutate({ approval: chosen })}
      />
      <Select
        label={access.limitOf(name)}
        isLabelHidden
        value={String(daily_limit ?? unlimited)}
        options={options}
        onChange={(chosen) => save.mutate({ daily_limit: chosen === unlimited ? null : Number(chosen) })}
      />
      <Failure error={save.error} />
    </div>
  )
}

/** Days are those of the limit, in UTC. */
const dayStart = () => new Date().setUTCHours(0, 0, 0, 0)

export function GrantToday({ grant }: Pick<Props, 'grant'>) {
  const { access } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const list = useQuery({ ...actsQuery(grant.id), enabled: isOpen })
  return (
    <details className="text-small" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="cursor-pointer text-ink-soft">{access.today}</summary>
      {isOpen && (
        <Loaded query={list}>
          {({ items }) => <Today acts={items.filter(({ created_at }) => created_at >= dayStart())} />}
        </Loaded>
      )}
    </details>
  )
}

type Act = Awaited<ReturnType<ReturnType<typeof actsQuery>['queryFn']>>['items'][number]

function Today({ acts }: { readonly acts: readonly Act[] }) {
  const { access } = useTexts()
  if (acts.length === 0) return <p className="mt-1 text-ink-soft">{access.todayNothing}</p>
  return (
    <ul aria-label={access.today} className="mt-1 flex flex-col gap-1">
      {acts.map(({ id, route, status, service, created_at }) => (
        <li key={id} className="flex flex-wrap gap-x-2">
          <span className="wrap-anywhere font-mono">{route}</span>
          <span className="text-ink-soft">{resultOf(access.results, status)}</span>
          {service !== null && <bdi className="text-ink-soft">{access.byService(service)}</bdi>}
          <span className="text-ink-soft">
            <Time at={created_at} />
          </span>
        </li>
      ))}
    </ul>
  )
}

function resultOf(words: { readonly waits: string; readonly done: string; readonly refused: string }, status: number) {
  if (status === 202) return words.waits
  return status < 400 ? words.done : words.refused
}
