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
  const [Page, ...inner] = pagesOf(routes, pathname.replace(/(?<=[^/])\/$/, '')) ?? []
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

function pagesOf(routes: readonly Route[], pathname: string): readonly ComponentType[] | undefined {
  for (const { path, Page, within } of routes) {
    const inner = within && pagesOf(within, pathname)
    if (inner) return [Page, ...inner]
    if (!within && path !== undefined && fits(path, pathname)) return [Page]
  }
  return undefined
}

function fits(path: string, pathname: string): boolean {
  if (!path.endsWith('/*')) return path === pathname
  const start = path.slice(0, -2)
  return pathname === start || pathname.startsWith(`${start}/`)
}
