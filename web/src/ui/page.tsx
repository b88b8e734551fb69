import { type ReactNode, useLayoutEffect } from 'react'
import { useAppearance, useArrival } from '../layout/arrival.ts'
import { HelpLink } from '../layout/help-link.tsx'
import { useLocation } from '../routing/router.tsx'
import { useClientConfig } from '../server/session.ts'

interface Props {
  readonly title: ReactNode
  /** The title of the browser's tab, if the page's title is not plain text or a part of the page is shown. */
  readonly tabTitle?: string
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The head and the body of a page inside the shell. */
export function Page({ title, tabTitle, lead, actions, children }: Props) {
  useTitle(tabTitle ?? String(title))
  const heading = useArrival()
  const appearance = useAppearance()
  return (
    <div className={`flex flex-col gap-6 sm:gap-8 ${appearance}`}>
      <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
        <div className="min-w-0 grow basis-80">
          <div className="flex items-center gap-2.5">
            <h1
              ref={heading}
              tabIndex={-1}
              className="gh-title wrap-anywhere font-semibold text-page leading-tight tracking-[-0.02em] outline-none"
            >
              {title}
            </h1>
            <HelpLink />
          </div>
          {lead && <p className="mt-1.5 text-ink-soft">{lead}</p>}
        </div>
        {actions && <div className="flex max-w-full flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

export function useTitle(title: string) {
  const { app_name } = useClientConfig()
  const { pathname } = useLocation()
  // A layout effect: a message in place of a part of this page sets its title after this one. A preview sets none.
  useLayoutEffect(() => {
    if (window.location.pathname === pathname) document.title = `${title} · ${app_name}`
  }, [title, app_name, pathname])
}
