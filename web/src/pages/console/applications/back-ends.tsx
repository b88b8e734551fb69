import { useQuery } from '@tanstack/react-query'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { FactLine } from '../../../ui/facts/fact-line.tsx'
import { Ago } from '../../../ui/facts/time.tsx'
import { LoadFailure } from '../../../ui/lists/loaded.tsx'
import { Rows } from '../../../ui/lists/rows.tsx'
import { type Application, verifiersQuery } from '../queries.ts'

/** The back ends of an application that follow what ends. */
export function BackEnds({ application: { client_id } }: { readonly application: Application }) {
  const { receipts } = useTexts()
  const query = useQuery(verifiersQuery)
  const own = query.data?.items.filter(({ application }) => application === client_id) ?? []
  return (
    <Card title={receipts.title}>
      {query.error && <LoadFailure query={query} />}
      {query.data && (
        <Rows items={own} none={receipts.none} keyOf={({ verifier }) => verifier}>
          {({ verifier, name, version, seen_at, lag_ms }) => (
            <>
              <p className="wrap-anywhere font-medium">
                <bdi>{name || verifier}</bdi>
              </p>
              <FactLine
                facts={[
                  version || null,
                  <Ago key="seen" at={seen_at} words={receipts.heard} />,
                  receipts.late(lag_ms / 1_000),
                ]}
              />
            </>
          )}
        </Rows>
      )}
    </Card>
  )
}
