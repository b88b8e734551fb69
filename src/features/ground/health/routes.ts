import { z } from 'zod'
import { json, text } from '../../../http/answers/answer.ts'
import type { Exchange } from '../../../http/exchange.ts'
import { Done, Nothing } from '../../../http/requests/body.ts'
import { publicRoute } from '../../../http/route.ts'
import { namesThisMachine } from '../../../http/sender/this-machine.ts'
import type { Platform } from '../../../platform/platform.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { version } from '../../../rules/version.ts'
import { isLoopback, type State, storeStates } from './health.ts'

const alive = { method: 'GET', input: Nothing } as const

export const healthRoutes = [
  publicRoute({
    ...alive,
    path: '/api/health',
    summary: 'Responds while the service runs, with its version',
    output: z.object({ version: z.string() }),
    handle: async () => ({ version }),
  }),
  publicRoute({
    ...alive,
    path: '/healthz',
    summary: 'Responds while the process runs',
    output: Done,
    handle: async () => ({}),
  }),
  publicRoute({
    method: 'GET',
    path: '/readyz',
    summary: 'Whether this process and the global store serve; with `all`, every store',
    input: z.object({ all: z.string().optional() }),
    output: z.object({
      status: z.enum(['up', 'degraded']),
      stores: z.record(z.string(), z.enum(['up', 'degraded', 'down'])),
    }),
    handle: async ({ platform }, { all }) => {
      const states = await storeStates(platform)
      const needed = all === undefined ? { meta: states.meta } : states
      const message =
        (platform.ending.aborted ? 'This process is about to stop.' : undefined) ??
        named('Not reachable', needed, 'down') ??
        named('Read-only', needed, 'read-only')
      if (all === undefined && !platform.ending.aborted) noteReadiness(platform, message)
      const isWhole = Object.values(states).every((state) => state === 'up')
      const stores = Object.fromEntries(Object.entries(states).map(([name, state]) => [name, SHOWN[state]]))
      const status = isWhole ? ('up' as const) : ('degraded' as const)
      if (message === undefined) return { status, stores }
      return json({ code: 'STORE_UNAVAILABLE', message, status, stores }, 503)
    },
  }),
  publicRoute({
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics for Prometheus, for callers on this machine only',
    input: Nothing,
    output: z.string(),
    described: { mediaType: 'text/plain' },
    handle: async ({ platform, exchange }) => {
      if (!isFromThisMachine(exchange)) throw new Refusal('NOT_FOUND', 'This path does not exist.')
      return text(await platform.metrics.text())
    },
  }),
] as const

function noteReadiness({ readiness }: Platform, fault: string | undefined): void {
  if (fault === undefined) readiness.ended()
  else readiness.failed(fault, 'warn')
}

/** Refuses callers behind a proxy, and pages whose host name was made to resolve to this machine. */
function isFromThisMachine(exchange: Exchange): boolean {
  const isForwarded = FORWARDED.some((name) => exchange.header(name) !== undefined)
  return isLoopback(exchange.peer) && namesThisMachine(exchange) && !isForwarded
}

const FORWARDED = [
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-real-ip'],
  ...['forwarded', 'via', 'cf-connecting-ip', 'true-client-ip', 'fly-client-ip', 'x-client-ip'],
]

const SHOWN = { up: 'up', 'read-only': 'degraded', degraded: 'degraded', down: 'down' } as const satisfies Record<
  State,
  string
>

function named(trouble: string, stores: Readonly<Record<string, State | undefined>>, state: State): string | undefined {
  const names = Object.keys(stores).filter((name) => stores[name] === state)
  return names.length > 0 ? `${trouble}: ${names.join(', ')}.` : undefined
}
