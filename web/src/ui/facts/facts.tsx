import type { ReactNode } from 'react'

type Fact = readonly [name: string, value: ReactNode]

/** Names and values, one below the other; what is false is none. */
export function Facts({ facts: given }: { readonly facts: readonly (Fact | false)[] }) {
  const facts = given.filter((fact) => fact !== false)
  return (
    <dl className="grid grid-cols-[fit-content(45%)_minmax(0,1fr)] gap-x-6 gap-y-2 text-compact">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="wrap-anywhere text-ink-soft">
            <bdi>{name}</bdi>
          </dt>
          <dd className="wrap-anywhere min-w-0">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
