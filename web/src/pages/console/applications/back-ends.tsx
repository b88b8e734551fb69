import { useQuery } from '@tanstack/react-query'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { FactLine } from '../../../ui/facts/fact-line.tsx'
import { Ago } from '../../../ui/facts/time.tsx'
import { LoadFailure } from '../../../ui/lists/loaded.tsx'
import { type Application, verifiersQuery } from '../queries.ts'

/** The back ends of an application that follow what ends. */
export function BackEnds({ application: { client_id } }: { readonly application: Application }) {
  const { receipts } = useTexts()
  const query = useQuery(verifiersQuery)
  const own = query.data?.items.filter(({ application }) => application === client_id) ?? []
  return (
    <Card title={receipts.title}>
      {query.error && <LoadFailure query={query} />}
      {query.data && own.length === 0 && <p className="text-ink-soft">{receipts.none}</p>}
      <ul className="divide-y divide-line empty:hidden">
        {own.map(({ verifier, name, version, seen_at, lag_ms }) => (
          <li key={verifier} className="py-2.5 first:pt-0 last:pb-0">
            <p className="wrap-anywhere font-medium">
              <bdi>{name || verifier}</bdi>
            </p>
            <FactLine
              facts={[
                ...(version ? [version] : []),
                <Ago key="seen" at={seen_at} words={receipts.heard} />,
                receipts.late(lag_ms / 1_000),
              ]}
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}
