import { type ReactNode, useState } from 'react'
import { isAdministrative } from '../../scope-tiers.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Problem } from './field.tsx'
import { SearchField } from './search-field.tsx'

export type ScopeOption = readonly [scope: string, words: string]

interface Props {
  readonly legend: string
  readonly options: readonly ScopeOption[]
  readonly value: readonly string[]
  readonly problem: string | undefined
  onChange(value: string[]): void
  readonly children?: ReactNode
}

/**
 * Each permission with its sentence and its name; a search narrows the list and leaves the choice as it is. Among a
 * user's own, those of an administrator stand out.
 */
export function ScopeChoice({ legend, options, value, problem, onChange, children }: Props) {
  const { lists } = useTexts()
  const [search, setSearch] = useState('')
  const chosen = options.filter(([scope]) => value.includes(scope)).length
  const wanted = search.trim().toLowerCase()
  const found = options.filter((option) => option.join(' ').toLowerCase().includes(wanted))
  const hasOwn = options.some(([scope]) => !isAdministrative(scope))
  const toggle = (scope: string, isOn: boolean) =>
    onChange(isOn ? [...value, scope] : value.filter((one) => one !== scope))
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 font-medium text-small">
        {legend} <span className="font-normal text-ink-soft">· {lists.scopesChosen(chosen)}</span>
      </legend>
      <div className="flex">
        <SearchField label={lists.searchScopes} value={search} maxLength={100} onSearch={setSearch} />
      </div>
      <span role="status" className="sr-only">
        {wanted && (found.length > 0 ? lists.results(found.length) : lists.noMatches)}
      </span>
      <div className="max-h-80 overflow-y-auto rounded-md border border-line-strong">
        {found.length === 0 && <p className="px-3 py-4 text-center text-ink-soft">{lists.noMatches}</p>}
        <ul className="divide-y divide-line">
          {found.map(([scope, words]) => (
            <li key={scope}>
              <label className="touch flex items-start gap-3 px-3 py-2 text-compact hover:bg-sunken">
                <input
                  type="checkbox"
                  className="mt-0.5 size-5 shrink-0 accent-(--color-accent)"
                  checked={value.includes(scope)}
                  aria-invalid={problem !== undefined || undefined}
                  onChange={({ target }) => toggle(scope, target.checked)}
                />
                <span className="wrap-anywhere min-w-0">
                  <bdi className={hasOwn && isAdministrative(scope) ? 'text-danger' : ''}>{words}</bdi>{' '}
                  <code className="block text-ink-soft text-tiny">{scope}</code>
                </span>
              </label>
            </li>
          ))}
        </ul>
      </div>
      {children}
      <Problem role="alert">{problem}</Problem>
    </fieldset>
  )
}
