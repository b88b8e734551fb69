import assert from 'node:assert/strict'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { describe, it } from 'vitest'
import { freePort } from '../../processes/free-port.ts'
import { Installation } from '../../processes/installation.ts'
import { bearer, CALLBACK, register, tokensFor } from '../../service/applications.ts'
import { assistantOf } from '../../service/assistant.ts'
import { startExample } from './start-example.ts'

const [READ, WRITE] = ['product:orders:read', 'product:orders:write'] as const

describe('examples/mcp', () => {
  it('lets an assistant of the SDK in, from discovery through registration and consent to a call', async () => {
    await using installation = new Installation()
    const prepared = await installation.prepare()
    const life = await installation.serve()
    const administrator = await life.signedIn(prepared)
    const ann = await life.signedUp('ann')
    for (const scope of [READ, WRITE])
      await administrator.post('/api/admin/declare_product_scope', { scope, description: 'Orders' })
    await administrator.saveSettings('assistants', { registration: true })
    const port = await freePort()
    const resource = `http://localhost:${port}/mcp`
    const { client_id, client_secret = '' } = await register(administrator, {
      kind: 'service',
      name: 'Orders',
      resource,
    })
    await startExample(process.execPath, ['mcp/server.mjs'], {
      GATEHOUSE: life.url,
      CLIENT_ID: client_id,
      CLIENT_SECRET: client_secret,
      PORT: String(port),
    })

    await using assistant = await assistantOf(ann, resource, {}, fetch)
    const listed = await assistant.call('list_orders')
    await assert.rejects(assistant.call('cancel_order', { order: '1001' }), UnauthorizedError)
    const asked = assistant.memory.page?.searchParams.get('scope')
    await assistant.allow()
    const cancelled = await assistant.call('cancel_order', { order: '1001' })

    assert.equal(JSON.parse(listed.text).userId, ann.id)
    assert.ok(asked?.split(' ').includes(WRITE), String(asked))
    assert.deepEqual([cancelled.isRefused, cancelled.text], [false, '"Cancelled."'])

    const shop = await register(administrator, { redirect_uris: [CALLBACK], scopes: ['openid', READ] })
    const send = async (headers: Readonly<Record<string, string>>) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
      const accept = 'application/json, text/event-stream'
      const all = { 'content-type': 'application/json', accept, ...headers }
      return (await fetch(resource, { method: 'POST', headers: all, body })).status
    }
    const scope = `openid ${READ}`
    const here = await tokensFor(ann, shop, { scope, resource })
    const elsewhere = await tokensFor(ann, shop, { scope })
    const without = await tokensFor(ann, shop, { scope: 'openid', resource })
    assert.deepEqual(
      [
        await send(bearer(here.access_token)),
        await send(bearer(elsewhere.access_token)),
        await send(bearer(without.access_token)),
        await send({}),
      ],
      [200, 401, 403, 401],
    )
  })
})
