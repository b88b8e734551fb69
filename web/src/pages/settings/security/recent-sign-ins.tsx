import { useTexts } from '../../../texts/texts.tsx'
import { wordOf } from '../../../texts/word-of.ts'
import { Card } from '../../../ui/card.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { FactLine } from '../../../ui/facts/fact-line.tsx'
import { Ago } from '../../../ui/facts/time.tsx'
import { Rows } from '../../../ui/lists/rows.tsx'
import type { SecurityOverview } from '../queries.ts'

const SHOWN = 8

export function RecentSignIns({ held }: { readonly held: SecurityOverview }) {
  const { security } = useTexts()
  return (
    <Card title={security.recent}>
      <Rows
        items={held.recentSignIns.slice(0, SHOWN)}
        none={security.noRecent}
        keyOf={({ createdAt, by }) => createdAt + by}
        className="py-3"
      >
        {(signIn) => (
          <>
            <p className="flex flex-wrap items-center gap-2 font-medium">
              {[signIn.by, ...(signIn.secondStep === null ? [] : [signIn.secondStep])]
                .map((step) => wordOf(security.ways, step))
                .join(' + ')}
              {signIn.isRefused && <Badge>{security.refused}</Badge>}
            </p>
            <FactLine facts={[<Ago key="at" at={signIn.createdAt} />, signIn.ipAddress || null]} />
          </>
        )}
      </Rows>
    </Card>
  )
}
