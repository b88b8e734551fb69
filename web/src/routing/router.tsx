import {
  type AnchorHTMLAttributes,
  createContext,
  type MouseEvent,
  use,
  useCallback,
  useEffect,
  useMemo,
  useRef,
} from 'react'
import type { Action, Location } from './history.ts'

interface Routing {
  readonly location: Location
  readonly action: Action
  navigate(to: string, options?: NavigateOptions): void
}

export interface NavigateOptions {
  readonly replace?: boolean
}

const RoutingContext = createContext<Routing | undefined>(undefined)

/** Inside it, pages know their address and can navigate. */
export const RoutingProvider = RoutingContext.Provider

function useRouting(): Routing {
  const routing = use(RoutingContext)
  if (!routing) throw new Error('no router above this component')
  return routing
}

export const useLocation = (): Location => useRouting().location
export const useLastAction = (): Action => useRouting().action
export const useNavigate = () => useRouting().navigate

/** Navigates once an answer has arrived, unless the user has moved to another page by then. */
export function useNavigateNext() {
  const { location, navigate } = useRouting()
  return (to: string, options?: NavigateOptions) => {
    if (window.location.pathname === location.pathname) navigate(to, options)
  }
}

type Search = URLSearchParams | Readonly<Record<string, string>>

/** The query of the address, and how to change it. */
export function useSearchParams() {
  const { location, navigate } = useRouting()
  const { pathname, search } = location
  const params = useMemo(() => new URLSearchParams(search), [search])
  const isShown = useIsShown()
  const change = useCallback(
    (next: Search | ((before: URLSearchParams) => Search), options?: NavigateOptions) => {
      // The page may be gone when an answer arrives, or another part of it may have changed the query.
      if (!isShown()) return
      const current = window.location.pathname === pathname ? window.location.search : search
      const made = typeof next === 'function' ? next(new URLSearchParams(current)) : next
      const query = new URLSearchParams(made)
      if (`${query}` === `${new URLSearchParams(current)}`) return
      navigate(query.size > 0 ? `${pathname}?${query}` : pathname, options)
    },
    [navigate, pathname, search, isShown],
  )
  return [params, change] as const
}

function useIsShown(): () => boolean {
  const shown = useRef(true)
  useEffect(() => {
    shown.current = true
    return () => {
      shown.current = false
    }
  }, [])
  return useCallback(() => shown.current, [])
}

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  /** A path of these pages. */
  readonly to: string
}

/** A click with another button or a key held is left to the browser. */
export function Link({ to, onClick, ...native }: LinkProps) {
  const navigate = useNavigate()
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (!isPlain || event.defaultPrevented) return
    event.preventDefault()
    navigate(to)
  }
  return <a {...native} href={to} onClick={follow} />
}

interface NavLinkProps extends LinkProps {
  /** Matches exactly this path, and nothing below it. */
  readonly end?: boolean
}

/** A link that is marked when it leads to the current page. */
export function NavLink({ end = false, ...props }: NavLinkProps) {
  const { pathname } = useLocation()
  const isHere = pathname === props.to || (!end && pathname.startsWith(`${props.to}/`))
  return <Link {...props} {...(isHere && { 'aria-current': 'page' })} />
}

/** Redirects as soon as it is rendered. */
export function Navigate({ to, replace = false }: { readonly to: string; readonly replace?: boolean }) {
  const navigate = useNavigate()
  useEffect(() => navigate(to, { replace }), [navigate, to, replace])
  return null
}
