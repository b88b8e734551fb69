import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { it } from 'vitest'
import { History } from '../history.ts'
import { answersIn } from '../report.ts'
import { Browser } from './browser.ts'

const ACT = { kind: 'find-user', user: 'ann' } as const

it('the report says what was done, refused, not sent, announced by a 503, and left without a response', async () => {
  const networks = new Set<unknown>()
  const server = createServer(({ url, headers, socket }, response) => {
    networks.add(headers['x-forwarded-for'])
    if (url === '/drop') socket.destroy()
    else if (url === '/busy') response.writeHead(503, { 'retry-after': '0' }).end('{"code":"BUSY"}')
    else response.writeHead(url === '/wrong' ? 401 : 200).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const at = { name: 'one', url: `http://127.0.0.1:${address.port}` }
  const history = new History()
  const act = (path: string) => new Browser(history, path).do(ACT, at, (ask) => ask(at, path))

  for (const path of ['/', '/wrong', '/busy', '/drop']) await act(path)
  server.close()
  await once(server, 'close')
  await act('/nobody')

  assert.deepEqual(answersIn(history.entries), {
    done: 1,
    refused: 1,
    'not sent': 1,
    '503 with Retry-After': 1,
    'without an answer': 1,
  })
  assert.equal(networks.size, 4, 'each browser comes from a network of its own')
})
