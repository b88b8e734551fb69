import { skipToken, useQuery } from '@tanstack/react-query'
import { useLayoutEffect } from 'react'
import { useLocation } from '../routing/router.tsx'
import { get, type Output } from './api.ts'
import { clientConfigQuery } from './session.ts'

export type ClientConfig = Output<'/api/client_config'>
export type Look = NonNullable<Output<'/api/brand/application'>['look']>

export const lookQuery = (client_id: string) => ({
  queryKey: ['look', client_id],
  queryFn: () => get(`/api/brand/application?${new URLSearchParams({ client_id })}` as '/api/brand/application'),
  staleTime: 60_000,
})

/** The look of the application that this page leads to, or the installation's; undefined until that is known. */
export function useLook(): Look | undefined {
  const { pathname, search } = useLocation()
  const client = clientLedTo(pathname + search) ?? clientLedTo(new URLSearchParams(search).get('next') ?? '')
  const { queryKey, queryFn } = lookQuery(client ?? '')
  const { data } = useQuery({ queryKey, queryFn: client ? queryFn : skipToken, staleTime: 60_000 })
  const { data: config } = useQuery({ ...clientConfigQuery, enabled: false })
  return data?.look ?? config?.brand
}

/** The client of an authorization request, whose address this is. */
function clientLedTo(address: string): string | null | undefined {
  const url = URL.parse(address, location.origin)
  return url && /^\/oauth\/(authorize|consent)$/.test(url.pathname) ? url.searchParams.get('client_id') : undefined
}

/** Keeps the style sheet of the look behind all others; the document comes with the one of its first page. */
export function AppliedLook() {
  const look = useLook()
  useLayoutEffect(() => {
    if (look) applyLook(look)
  }, [look])
  return null
}

function applyLook({ style_url, favicon_url, logo_url }: Look): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  const picture = favicon_url ?? logo_url
  if (icon && picture) icon.href = picture
  const sheet = document.querySelector<HTMLLinkElement>('#brand')
  if ((sheet?.getAttribute('href') ?? null) === style_url) return
  if (style_url)
    document.head.append(
      Object.assign(document.createElement('link'), { id: 'brand', rel: 'stylesheet', href: style_url }),
    )
  sheet?.remove()
}
