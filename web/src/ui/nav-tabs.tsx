import { useEffect, useRef } from 'react'
import { NavLink, useLocation } from 'react-router'

interface Tab {
  readonly to: string
  readonly title: string
}

/** Parts of one page, each with its own address. */
export function NavTabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const list = useRef<HTMLUListElement>(null)
  const { pathname } = useLocation()

  useEffect(() => {
    const links = [...(list.current?.querySelectorAll('a') ?? [])]
    const current = links.find((link) => link.pathname === pathname)
    current?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [pathname])

  return (
    <nav aria-label={label} className="-mx-4 overflow-x-auto border-line border-b px-4 sm:mx-0 sm:px-0">
      <ul ref={list} className="flex gap-1">
        {tabs.map(({ to, title }) => (
          <li key={to}>
            <NavLink
              to={to}
              end
              className="-mb-px block whitespace-nowrap border-transparent border-b-2 px-3 py-2.5 font-medium text-[0.933rem] text-ink-soft transition-colors -outline-offset-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
            >
              {title}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}
