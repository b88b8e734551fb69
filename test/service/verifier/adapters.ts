import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import type { Caller } from '../../../packages/server/caller.ts'
import * as ofExpress from '../../../packages/server/frameworks/express.ts'
import * as ofFastify from '../../../packages/server/frameworks/fastify.ts'
import * as ofHono from '../../../packages/server/frameworks/hono.ts'
import * as ofNext from '../../../packages/server/frameworks/next.ts'
import type { Verifier } from '../../../packages/server/verifier.ts'

/** What a product's page shows about its caller: the status, and whether an outage lends. */
type Ask = (headers: Record<string, string>) => Promise<string>

interface Adapters extends AsyncDisposable {
  readonly ask: Readonly<Record<'express' | 'fastify' | 'hono' | 'next', Ask>>
}

/** One product for each framework, all with the same verifier. */
export async function adaptersWith(verifier: Verifier): Promise<Adapters> {
  const app = express()
  app.get('/me', ofExpress.protect(verifier), (request, response) => {
    response.json(shown(ofExpress.callerOf(request)))
  })
  const listening = app.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo

  const fastify = Fastify()
  fastify.get('/me', { onRequest: ofFastify.protect(verifier) }, async (request) => shown(ofFastify.callerOf(request)))

  const hono = new Hono()
  hono.use(ofHono.protect(verifier))
  hono.get('/me', (context) => context.json(shown(ofHono.callerOf(context))))

  const next = ofNext.protect(verifier, (_request, caller) => Response.json(shown(caller)))

  return {
    ask: {
      express: async (headers) => said(await fetch(`http://127.0.0.1:${port}/me`, { headers })),
      fastify: async (headers) => {
        const { statusCode, body } = await fastify.inject({ url: '/me', headers })
        return said(new Response(body, { status: statusCode }))
      },
      hono: async (headers) => said(await hono.request('/me', { headers })),
      next: async (headers) => said(await next(new Request('http://app.example/me', { headers }))),
    },
    async [Symbol.asyncDispose]() {
      await fastify.close()
      listening.close()
      listening.closeAllConnections()
      await once(listening, 'close')
    },
  }
}

function shown({ email, outage }: Caller) {
  return { email, outage: outage === true }
}

async function said(response: Response): Promise<string> {
  if (response.status !== 200) return String(response.status)
  const { email, outage }: ReturnType<typeof shown> = JSON.parse(await response.text())
  return outage ? `${email} (outage)` : email
}
