import type { ReactNode } from 'react'

/** Small facts on one line, or one below the other on a phone; what is null or false is none. */
export function FactLine({ facts: given }: { readonly facts: readonly ReactNode[] }) {
  const facts = given.filter((fact) => fact !== null && fact !== false)
  return (
    <p className="flex flex-col gap-x-1.5 sm:flex-row sm:flex-wrap text-small text-ink-soft">
      {facts.map((fact, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the facts of a line have no other identity
        <span key={index} className="whitespace-nowrap">
          {fact}
          {index < facts.length - 1 && <span className="max-sm:hidden"> ·</span>}
        </span>
      ))}
    </p>
  )
}
