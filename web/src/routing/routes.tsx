import { type ComponentType, createContext, use } from 'react'
import { useLocation } from './router.tsx'

/** One line of the map from addresses to pages. */
export interface Route {
  /** Absolute; a last `/*` also takes everything below it. Without one, the pages within decide. */
  readonly path?: string
  readonly Page: ComponentType
  /** Shown where this page puts its `Outlet`. */
  readonly within?: readonly Route[]
}

const OutletContext = createContext<readonly ComponentType[]>([])

/** The first line that fits the address; pages around it first. */
export function Routes({ routes }: { readonly routes: readonly Route[] }) {
  const { pathname } = useLocation()
  const [Page, ...inner] = routesTo(routes, pathname).map((route) => route.Page)
  return (
    Page && (
      <OutletContext value={inner}>
        <Page />
      </OutletContext>
    )
  )
}

export function Outlet() {
  const [Page, ...inner] = use(OutletContext)
  return (
    Page && (
      <OutletContext value={inner}>
        <Page />
      </OutletContext>
    )
  )
}

interface Nested<R> extends Omit<Route, 'within'> {
  readonly within?: readonly R[]
}

/** The line of an address and those around it, the outermost first; empty if none fits. */
export function routesTo<R extends Nested<R>>(routes: readonly R[], pathname: string): readonly R[] {
  return chainTo(routes, pathname.replace(/(?<=[^/])\/$/, '')) ?? []
}

function chainTo<R extends Nested<R>>(routes: readonly R[], pathname: string): readonly R[] | undefined {
  for (const route of routes) {
    const { path, within } = route
    const inner = within && chainTo<R>(within, pathname)
    if (inner) return [route, ...inner]
    if (!within && path !== undefined && fits(path, pathname)) return [route]
  }
  return undefined
}

function fits(path: string, pathname: string): boolean {
  if (!path.endsWith('/*')) return path === pathname
  const start = path.slice(0, -2)
  return pathname === start || pathname.startsWith(`${start}/`)
}
