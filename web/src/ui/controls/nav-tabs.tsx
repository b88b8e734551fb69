import { useEffect, useRef } from 'react'
import { NavLink, useLocation } from '../../routing/router.tsx'

interface Tab {
  readonly to: string
  readonly title: string
}

/** The title of the browser's tab: the part that is open, then the page. */
export function tabTitleOf(tabs: readonly Tab[], pathname: string, page: string): string {
  const open = tabs.find(({ to }) => to === pathname)
  return open ? `${open.title} · ${page}` : page
}

const besidePage =
  'min-[112rem]:rounded-md min-[112rem]:border-0 min-[112rem]:py-2 min-[112rem]:hover:bg-sunken/70 min-[112rem]:aria-[current=page]:bg-accent-soft min-[112rem]:aria-[current=page]:text-accent-strong'

interface Props {
  readonly label: string
  readonly tabs: readonly Tab[]
  /** One below the other, at the side of the page, where it has room for that. */
  readonly isAtSide?: boolean
}

/** Parts of one page, each with its own address. */
export function NavTabs({ label, tabs, isAtSide = false }: Props) {
  const strip = useRef<HTMLElement>(null)
  const { pathname } = useLocation()

  // Avoids scrollIntoView, which would also move the place where the next Tab starts.
  useEffect(() => {
    const links = [...(strip.current?.querySelectorAll('a') ?? [])]
    const current = links.findLast((link) => `${pathname}/`.startsWith(`${link.pathname}/`))
    if (!strip.current || !current) return
    strip.current.scrollLeft = current.offsetLeft - (strip.current.clientWidth - current.offsetWidth) / 2
  }, [pathname])

  return (
    <nav
      ref={strip}
      aria-label={label}
      className={`scroll-hint relative -mx-4 overflow-x-auto [scrollbar-width:thin] overflow-y-hidden border-line border-b px-4 sm:mx-0 sm:px-0 ${isAtSide ? 'min-[112rem]:sticky min-[112rem]:top-10 min-[112rem]:border-0' : ''}`}
    >
      <ul className={`flex gap-1 ${isAtSide ? 'min-[112rem]:flex-col' : ''}`}>
        {tabs.map(({ to, title }) => (
          <li key={to}>
            <NavLink
              to={to}
              // A part that has others below it is open only at its own address.
              end={tabs.some((other) => other.to.startsWith(`${to}/`))}
              className={`touch block whitespace-nowrap border-transparent border-b-2 px-3 py-2.5 font-medium text-compact text-ink-soft transition-colors -outline-offset-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink ${isAtSide ? besidePage : ''}`}
            >
              {title}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}
