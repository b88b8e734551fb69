import { useTexts } from '../../../texts/texts.tsx'
import { wordOf } from '../../../texts/word-of.ts'
import { Card } from '../../../ui/card.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { FactLine } from '../../../ui/facts/fact-line.tsx'
import { Ago } from '../../../ui/facts/time.tsx'
import type { SecurityOverview } from '../queries.ts'

const SHOWN = 8

export function RecentSignIns({ held }: { readonly held: SecurityOverview }) {
  const { security } = useTexts()
  return (
    <Card title={security.recent}>
      {held.recentSignIns.length === 0 && <p className="text-ink-soft">{security.noRecent}</p>}
      <ul className="-my-3 divide-y divide-line empty:hidden">
        {held.recentSignIns.slice(0, SHOWN).map((signIn) => (
          <li key={signIn.createdAt + signIn.by} className="py-3">
            <p className="flex flex-wrap items-center gap-2 font-medium">
              {[signIn.by, ...(signIn.secondStep === null ? [] : [signIn.secondStep])]
                .map((step) => wordOf(security.ways, step))
                .join(' + ')}
              {signIn.isRefused && <Badge>{security.refused}</Badge>}
            </p>
            <FactLine
              facts={[<Ago key="at" at={signIn.createdAt} />, ...(signIn.ipAddress ? [signIn.ipAddress] : [])]}
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}
