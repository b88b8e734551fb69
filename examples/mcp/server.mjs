// npm install @modelcontextprotocol/sdk zod gatehouse-0.3.0.tgz; node mcp/server.mjs
// A shop's own server for assistants. Its application in Gatehouse (kind `service`) has RESOURCE as its resource.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { protectedResource } from 'gatehouse/server'
import { z } from 'zod'

const { GATEHOUSE = 'http://localhost:5173', CLIENT_ID, CLIENT_SECRET, PORT = '8080' } = process.env
const { RESOURCE = `http://localhost:${PORT}/mcp` } = process.env
const READ = 'product:orders:read'
const WRITE = 'product:orders:write'
const orders = new Map([['1001', { item: 'A blue bicycle', state: 'paid' }]])

const resource = protectedResource({
  issuer: GATEHOUSE,
  clientId: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  resource: RESOURCE,
  scopes: [READ],
})

function toolsFor({ userId }) {
  const server = new McpServer({ name: 'shop', version: '1.0.0' })
  const said = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })
  server.registerTool('list_orders', { description: 'Your orders', annotations: { readOnlyHint: true } }, () =>
    said({ userId, orders: Object.fromEntries(orders) }),
  )
  const order = { description: 'Cancel an order', inputSchema: { order: z.string() } }
  server.registerTool('cancel_order', order, ({ order }) => {
    if (!orders.has(order)) return { ...said('There is no such order.'), isError: true }
    orders.set(order, { ...orders.get(order), state: 'cancelled' })
    return said('Cancelled.')
  })
  return server
}

createServer(async (request, response) => {
  if (request.url === resource.metadataPath) {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(resource.metadata))
    return
  }
  const message = await text(request)
    .then(JSON.parse)
    .catch(() => undefined)
  // An assistant that lacks the scope is told which, asks its user for it, and calls again.
  const scope = message?.params?.name === 'cancel_order' ? WRITE : READ
  const checked = await resource.check(request, { scope })
  if (!checked.ok) {
    response.writeHead(checked.status, checked.headers).end()
    return
  }
  const server = toolsFor(checked.caller)
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
  response.on('close', () => server.close())
  await server.connect(transport)
  await transport.handleRequest(request, response, message)
}).listen(Number(PORT), '127.0.0.1', () => console.log(`listening on ${RESOURCE}`))
