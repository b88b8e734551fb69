import { useQuery } from '@tanstack/react-query'
import { call } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { FactLine } from '../../ui/facts/fact-line.tsx'
import { Ago } from '../../ui/facts/time.tsx'

const shownAtOnce = 10

const wordsOf = (actions: Readonly<Record<string, string>>, route: string) =>
  actions[route.slice('/api/'.length)] ?? route

/** When the administrator used the account, if ever. */
export function Impersonations() {
  const { sessions: texts, approvals } = useTexts()
  const { data } = useQuery({
    queryKey: ['impersonations'],
    queryFn: () => call('/api/list_impersonations', { page_size: shownAtOnce }),
  })
  if (!data?.total) return null
  return (
    <Card title={texts.acted} lead={texts.actedLead}>
      <ul className="-my-3 divide-y divide-line">
        {data.items.map(({ id, reason, mode, started_at, ended_at, acts }) => (
          <li key={id} className="py-4">
            <p className="font-medium">{reason ?? texts.actedNoReason}</p>
            <FactLine
              facts={[
                <Ago key="at" at={started_at} />,
                ended_at === null ? texts.actedNow : texts.actedModes[mode],
                acts.length > 0 &&
                  texts.actedChanges(
                    [...new Set(acts.map(({ route }) => wordsOf(approvals.actions, route)))].join(', '),
                  ),
              ]}
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}
