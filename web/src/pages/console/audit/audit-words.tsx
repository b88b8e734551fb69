import { useTexts } from '../../../texts/texts.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'

/** What was done, in words; an action that the catalogue does not know keeps its code. */
export function useActionWords(): (action: string) => string {
  const { audit } = useTexts()
  const known: Record<string, string> = audit.actions
  return (action) => known[action] ?? action
}

/** The facts of an entry: names and values in words if the catalogue has them. */
export function AuditDetails({ details }: { readonly details: Readonly<Record<string, unknown>> }) {
  const { audit, scopes } = useTexts()
  const names: Record<string, string> = audit.detailNames
  const values: Record<string, string> = { ...scopes, ...audit.detailValues }
  return (
    <dl className="text-[0.867rem]">
      {Object.entries(details).map(([name, value]) => (
        <div key={name}>
          <dt className="inline text-ink-soft">{names[name] ?? name}:</dt>{' '}
          <dd className="inline">
            <PersonText>{plain(value, values)}</PersonText>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function plain(value: unknown, known: Readonly<Record<string, string>>): string {
  if (Array.isArray(value)) return value.map((part) => plain(part, known)).join(', ')
  if (value === null) return '–'
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return known[text] ?? text
}
