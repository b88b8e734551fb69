import type { ReactNode } from 'react'

export function Part({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <section aria-label={name} className="flex min-w-0 flex-col gap-3">
      <h2 className="border-line border-b pb-1 font-medium text-small text-ink-soft">{name}</h2>
      {children}
    </section>
  )
}
