import type { ReactNode } from 'react'

interface Props {
  readonly title?: string
  readonly lead?: ReactNode
  readonly action?: ReactNode
  readonly footer?: ReactNode
  /** True while the foot must stay in sight, also where the card goes on below the window. */
  readonly isFootKept?: boolean | undefined
  /** Where there is room, the head stands beside what it names. */
  readonly isSplit?: boolean
  readonly children?: ReactNode
}

/** A titled part of a page. */
export function Card({ title, lead, action, footer, isFootKept = false, isSplit = false, children }: Props) {
  return (
    <section className={`gh-card rounded-lg border border-line bg-surface shadow-card ${isSplit ? '@container' : ''}`}>
      <div
        className={`p-5 sm:px-6 sm:pb-6 ${isSplit ? '@4xl:grid @4xl:grid-cols-[15rem_minmax(0,1fr)] @4xl:gap-x-8' : ''}`}
      >
        {title && (
          <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 has-[+div:not(:empty)]:pb-4 @4xl:has-[+div:not(:empty)]:pb-0">
            <div className="min-w-0">
              <h2 className="wrap-anywhere font-semibold text-card leading-snug">{title}</h2>
              {lead && <p className="mt-1 text-ink-soft">{lead}</p>}
            </div>
            {action}
          </header>
        )}
        {children && <div className="min-w-0 empty:hidden">{children}</div>}
      </div>
      {footer && (
        <footer
          className={`flex flex-wrap items-center gap-3 rounded-b-lg border-line border-t px-5 py-3.5 sm:px-6 ${isSplit ? '@4xl:ps-74' : ''} ${isFootKept ? 'sticky bottom-0 z-10 bg-raised shadow-float' : 'bg-sunken/50'}`}
        >
          {footer}
        </footer>
      )}
    </section>
  )
}
