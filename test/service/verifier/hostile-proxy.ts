import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The proxy's treatment of a request instead of passing it on. */
type Fault = (response: ServerResponse, recorded: Recorded | undefined) => void

interface Recorded {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const LARGE = 'x'.repeat(64 * 1024)
const PATIENT_WRITES = 64

export const FAULTS = {
  cut: (response) => response.destroy(),
  half: (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"items":[],"next":', () => response.destroy())
  },
  'a page': (response) => response.end('<h1>Sign in to the Wi-Fi</h1>'),
  nothing: (response) => response.writeHead(200).end(),
  null: (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('null'),
  'a bad gateway': (response) => response.writeHead(502).end('<h1>502 Bad Gateway</h1>'),
  'a server error': (response) => response.writeHead(500).end('{"code":"INTERNAL_ERROR"}'),
  'another place': (response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
  'more than fits': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    for (let i = 0; i < PATIENT_WRITES; i++) response.write(LARGE)
    response.end()
  },
  'what it said before': (response, recorded) => {
    if (!recorded) return response.destroy()
    response.writeHead(recorded.status, recorded.headers).end(recorded.body)
  },
} satisfies Record<string, Fault>

interface HostileProxy extends AsyncDisposable {
  readonly url: string
  readonly asked: string[]
  /** Applies to the paths that it matches, including requests under way; undefined passes everything on. */
  fault: { readonly paths: RegExp; readonly does: Fault } | undefined
}

/** Stands between a verifier and the service, and remembers each path's last answer. */
export async function hostileProxy(target: string): Promise<HostileProxy> {
  const answers = new Map<string, Recorded>()
  const waiting = new Map<ServerResponse, string>()
  let fault: HostileProxy['fault']
  const strike = (response: ServerResponse, path: string) => {
    if (!fault?.paths.test(path)) return false
    waiting.delete(response)
    fault.does(response, answers.get(path))
    return true
  }
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/'
    proxy.asked.push(path)
    if (strike(response, path)) return response
    waiting.set(response, path)
    const answer = await passedOn(target, request).catch(() => undefined)
    if (!waiting.delete(response)) return response
    if (!answer) return response.destroy()
    answers.set(path, answer)
    return response.writeHead(answer.status, answer.headers).end(answer.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: HostileProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    get fault() {
      return fault
    },
    set fault(next) {
      fault = next
      for (const [response, path] of waiting) strike(response, path)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}

async function passedOn(target: string, request: IncomingMessage): Promise<Recorded> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { authorization = '', 'content-type': contentType = '' } = request.headers
  const isPost = request.method === 'POST'
  const response = await fetch(`${target}${request.url}`, {
    method: request.method ?? 'GET',
    headers: { authorization, ...(isPost && { 'content-type': contentType }) },
    ...(isPost && { body: Buffer.concat(chunks) }),
  })
  const { 'content-encoding': _, 'content-length': __, ...headers } = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: await response.text() }
}
