import type { Context } from 'hono'

/** Hono's middleware changes a response after it was made; one that stays open is by then on its way. */
const kept = new WeakMap<Context, Readonly<Record<string, string>>>()

export function allowOrigin(context: Context, origin: string): void {
  const ofOneOrigin = { 'access-control-allow-credentials': 'true', vary: 'Origin' }
  kept.set(context, { 'access-control-allow-origin': origin, ...(origin !== '*' && ofOneOrigin) })
}

export function headersOfStream(context: Context): Readonly<Record<string, string>> {
  return kept.get(context) ?? {}
}
