import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../processes/free-port.ts'
import { type Engine, eventually, started } from './engine.ts'

/** By WebDriver BiDi, which Firefox speaks itself. */
export async function openFirefox(program: string): Promise<Engine> {
  const [port, profile] = [await freePort(), await mkdtemp(join(tmpdir(), 'gatehouse-firefox-'))]
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', String(port)]
  const browser = started(program, args, { HOME: profile })
  const socket = await eventually(() => connected(`ws://127.0.0.1:${port}/session`))
  const bidi = new BiDi(socket)
  await bidi.send('session.new', { capabilities: {} })
  const { contexts } = await bidi.send<{ contexts: { context: string }[] }>('browsingContext.getTree', {})
  const context = contexts[0]?.context
  return {
    goto: (url) => bidi.send('browsingContext.navigate', { context, url, wait: 'complete' }),
    async evaluate<Value>(expression: string) {
      const sent = { expression: json(expression), target: { context }, awaitPromise: true }
      const { result, exceptionDetails } = await bidi.send<Evaluated>('script.evaluate', sent)
      if (!result) throw new Error(exceptionDetails?.text)
      return readValue<Value>(result.value)
    },
    clickAt: (x, y) =>
      bidi.send('input.performActions', {
        context,
        actions: [
          {
            ...{ type: 'pointer', id: 'mouse' },
            actions: [
              { type: 'pointerMove', x, y },
              ...['pointerDown', 'pointerUp'].map((type) => ({ type, button: 0 })),
            ],
          },
        ],
      }),
    press: (value) =>
      bidi.send('input.performActions', {
        context,
        actions: [
          { type: 'key', id: 'keys', actions: ['keyDown', 'keyUp'].map((type) => ({ type, value })) },
        ],
      }),
    async [Symbol.asyncDispose]() {
      socket.close()
      await browser[Symbol.asyncDispose]()
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

interface Evaluated {
  readonly result?: { readonly value: string }
  readonly exceptionDetails?: { readonly text: string }
}

export const json = (expression: string) =>
  `Promise.resolve(${expression}).then((value) => JSON.stringify({ value }))`

export function readValue<Value>(text: string): Value {
  return JSON.parse(text).value
}

async function connected(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url)
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error(url)))
  })
  return socket
}

class BiDi {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #last = 0

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      const { id, type, result, message } = JSON.parse(data)
      const waiting = this.#waiting.get(id)
      if (type === 'success') waiting?.resolve(result)
      else waiting?.reject(new Error(message))
    })
  }

  send<Result = void>(method: string, params: object): Promise<Result> {
    const id = ++this.#last
    const waiting = Promise.withResolvers<unknown>()
    this.#waiting.set(id, waiting)
    this.#socket.send(JSON.stringify({ id, method, params }))
    return waiting.promise as Promise<Result>
  }
}
