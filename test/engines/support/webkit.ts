import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findExecutable } from '../../processes/executable.ts'
import { freePort } from '../../processes/free-port.ts'
import { type Engine, eventually, started } from './engine.ts'
import { json, readValue } from './firefox.ts'

/** WebKitGTK by WebDriver. It draws to a screen, which Xvfb pretends to be. */
export async function openWebKit(program: string): Promise<Engine> {
  const [port, home] = [await freePort(), await mkdtemp(join(tmpdir(), 'gatehouse-webkit-'))]
  const screen = findExecutable('xvfb-run') ?? ''
  const driver = started(screen, ['-a', program, `--port=${port}`, '--host=127.0.0.1'], {
    ...{ HOME: home, XDG_CACHE_HOME: home, XDG_DATA_HOME: home, XDG_RUNTIME_DIR: home },
    ...{
      WEBKIT_DISABLE_COMPOSITING_MODE: '1',
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
    },
  })
  const url = `http://127.0.0.1:${port}`
  const { sessionId } = await eventually(() =>
    command<{ sessionId: string }>(`${url}/session`, { capabilities: {} }),
  )
  const send = <Value = null>(path: string, body: object) =>
    command<Value>(`${url}/session/${sessionId}${path}`, body)
  const act = (type: string, id: string, actions: readonly object[]) =>
    send('/actions', { actions: [{ type, id, actions }] }).then(() => undefined)
  return {
    goto: (address) => send('/url', { url: address }).then(() => undefined),
    async evaluate<Value>(expression: string) {
      const script = `const done = arguments[0]; ${json(expression)}.then(done, (error) => done(JSON.stringify({ error: String(error) })))`
      return readValue<Value>(await send<string>('/execute/async', { script, args: [] }))
    },
    clickAt: (x, y) =>
      act('pointer', 'mouse', [
        { type: 'pointerMove', x, y, origin: 'viewport', duration: 0 },
        ...['pointerDown', 'pointerUp'].map((type) => ({ type, button: 0 })),
      ]),
    press: (value) =>
      act(
        'key',
        'keys',
        ['keyDown', 'keyUp'].map((type) => ({ type, value })),
      ),
    async [Symbol.asyncDispose]() {
      await fetch(`${url}/session/${sessionId}`, { method: 'DELETE' })
      await driver[Symbol.asyncDispose]()
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function command<Value>(url: string, body: object): Promise<Value> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  const { value } = (await answer.json()) as { readonly value: Value & { readonly message?: string } }
  if (!answer.ok) throw new Error(value?.message)
  return value
}
