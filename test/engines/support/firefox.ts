import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../processes/free-port.ts'
import { type Engine, eventually, held, type Look, pointerAt, pressed, started } from './engine.ts'

/** Drives it by WebDriver BiDi, which Firefox speaks itself. */
export async function openFirefox(program: string, look: Look = {}): Promise<Engine> {
  const [port, profile] = [await freePort(), await mkdtemp(join(tmpdir(), 'gatehouse-firefox-'))]
  const preferences = Object.entries(preferencesOf(look)).map(([name, value]) => `user_pref('${name}', ${value});`)
  await writeFile(join(profile, 'user.js'), preferences.join('\n'))
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', String(port)]
  const browser = started(program, args, { HOME: profile })
  const socket = await eventually(() => connected(`ws://127.0.0.1:${port}/session`))
  const bidi = new BiDi(socket)
  await bidi.send('session.new', { capabilities: {} })
  const { contexts } = await bidi.send<{ contexts: { context: string }[] }>('browsingContext.getTree', {})
  return tabOf(bidi, contexts[0]?.context, async () => {
    socket.close()
    await browser[Symbol.asyncDispose]()
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  })
}

const preferencesOf = (look: Look) => ({
  'layout.css.prefers-color-scheme.content-override': look.isDark ? 0 : 1,
  'browser.display.document_color_use': look.hasForcedColors ? 2 : 1,
  'ui.prefersReducedMotion': look.hasReducedMotion ? 1 : 0,
  'javascript.enabled': !look.isWithoutScripts,
})

function tabOf(bidi: BiDi, context: string | undefined, close: () => Promise<void>): Engine {
  const act = (actions: object) => bidi.send('input.performActions', { context, actions: [actions] })
  return {
    goto: (url) => bidi.send('browsingContext.navigate', { context, url, wait: 'complete' }),
    async evaluate<Value>(expression: string) {
      const sent = { expression: json(expression), target: { context }, awaitPromise: true }
      const { result, exceptionDetails } = await bidi.send<Evaluated>('script.evaluate', sent)
      if (!result) throw new Error(exceptionDetails?.text)
      return readValue<Value>(result.value)
    },
    clickAt: (x, y) => act(pointerAt(x, y)),
    press: (...keys) => act(pressed(keys)),
    hold: (...keys) => act(held(keys)),
    resize: (viewport) => bidi.send('browsingContext.setViewport', { context, viewport }),
    async openTab() {
      const tab = await bidi.send<{ context: string }>('browsingContext.create', { type: 'tab' })
      return tabOf(bidi, tab.context, () => bidi.send('browsingContext.close', tab))
    },
    [Symbol.asyncDispose]: close,
  }
}

interface Evaluated {
  readonly result?: { readonly value: string }
  readonly exceptionDetails?: { readonly text: string }
}

/** Awaits only a promise: where a page has no scripts, none is ever settled. */
export const json = (expression: string) => `((value) => {
  const told = (value) => JSON.stringify({ value })
  return value instanceof Promise ? value.then(told) : told(value)
})(${expression})`

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
