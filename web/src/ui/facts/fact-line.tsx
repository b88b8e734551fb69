/** Small facts on one line, or one below the other on a phone. */
export function FactLine({ facts }: { readonly facts: readonly string[] }) {
  return (
    <p className="flex flex-col gap-x-1.5 sm:flex-row sm:flex-wrap text-small text-ink-soft">
      {facts.map((fact, index) => (
        <span key={fact} className="whitespace-nowrap">
          {fact}
          {index < facts.length - 1 && <span className="max-sm:hidden"> ·</span>}
        </span>
      ))}
    </p>
  )
}
