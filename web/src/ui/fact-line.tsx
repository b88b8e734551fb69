/** Small facts on one line, or on as many as a narrow screen needs, never broken within. */
export function FactLine({ facts }: { readonly facts: readonly string[] }) {
  return (
    <p className="flex flex-wrap gap-x-1.5 text-[0.867rem] text-ink-soft">
      {facts.map((fact, index) => (
        <span key={fact} className="whitespace-nowrap">
          {fact}
          {index < facts.length - 1 && ' ·'}
        </span>
      ))}
    </p>
  )
}
