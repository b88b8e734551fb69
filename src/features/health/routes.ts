import { z } from 'zod'
import { Done, Nothing } from '../../http/body.ts'
import { peerAddressOf } from '../../http/identify.ts'
import { Refusal } from '../../http/refusal.ts'
import { publicRoute } from '../../http/route.ts'
import { isLoopback, storeStates } from './health.ts'

const alive = { method: 'GET', input: Nothing, output: Done, handle: async () => ({}) } as const

export const healthRoutes = [
  publicRoute({ ...alive, path: '/api/health', summary: 'Answers while the service runs' }),
  publicRoute({ ...alive, path: '/healthz', summary: 'Answers while the process lives' }),
  publicRoute({
    method: 'GET',
    path: '/readyz',
    summary: 'Says whether every store can be reached and requests are welcome',
    input: Nothing,
    output: z.object({ stores: z.record(z.string(), z.enum(['up', 'down'])) }),
    handle: async ({ platform, context }) => {
      const stores = await storeStates(platform)
      const down = Object.keys(stores).filter((name) => stores[name] === 'down')
      if (down.length === 0 && !platform.ending.aborted) return { stores }
      const message =
        down.length > 0 ? `Not reachable: ${down.join(', ')}.` : 'This process is about to stop.'
      return context.json({ code: 'STORE_UNAVAILABLE', message, stores }, 503)
    },
  }),
  publicRoute({
    method: 'GET',
    path: '/metrics',
    summary: 'Figures for Prometheus, to callers on this machine',
    input: Nothing,
    output: z.string(),
    handle: async ({ platform, context }) => {
      if (!isLoopback(peerAddressOf(context)) || context.req.header('x-forwarded-for') !== undefined) {
        throw new Refusal('NOT_FOUND', 'There is nothing at this address.')
      }
      return context.text(await platform.metrics.text())
    },
  }),
] as const
