import { useTexts } from '../texts/texts.tsx'
import { Badge } from './badge.tsx'
import { Icon } from './icon.tsx'

/** What a tool may do, in words; what changes things is marked. */
export function ScopeList({ scopes }: { readonly scopes: readonly string[] }) {
  const { access, consent, scopes: known } = useTexts()
  const words: Record<string, string> = known
  if (scopes.length === 0) return <p className="text-ink-soft">{consent.noScopes}</p>
  return (
    <ul aria-label={access.scopes} className="flex flex-col gap-2">
      {scopes.map((scope) => {
        const writes = scope.endsWith(':write')
        return (
          <li key={scope} title={scope} className="flex items-start gap-2.5 text-[0.933rem]">
            <Icon
              name={writes ? 'pencil' : 'eye'}
              className={`mt-[0.2rem] size-4 ${writes ? 'text-warning' : 'text-accent'}`}
            />
            <span className="flex flex-wrap items-center gap-x-2">
              {words[scope] ?? scope} {writes && <Badge look="warning">{consent.writes}</Badge>}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
