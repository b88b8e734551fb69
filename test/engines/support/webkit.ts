import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findExecutable } from '../../processes/executable.ts'
import { freePort } from '../../processes/free-port.ts'
import { type Engine, eventually, held, type Look, pointerAt, pressed, started } from './engine.ts'
import { json, readValue } from './firefox.ts'

/** The bar would keep the window from being as narrow as a phone. */
const NO_BAR = '* { font-size: 1px; padding: 0; margin: 0; border: 0; min-width: 0; min-height: 0 }'

/** WebKitGTK through WebDriver, on a virtual screen (Xvfb). It does not support forced colours. */
export async function openWebKit(program: string, look: Look = {}): Promise<Engine> {
  const [port, home] = [await freePort(), await mkdtemp(join(tmpdir(), 'gatehouse-webkit-'))]
  const theme = join(home, 'gtk-3.0')
  await mkdir(theme)
  await writeFile(join(theme, 'gtk.css'), NO_BAR)
  await writeFile(join(theme, 'settings.ini'), `[Settings]\ngtk-enable-animations=${Number(!look.hasReducedMotion)}\n`)
  const screen = ['-a', '-s', `-screen 0 1280x1024x24 -fbdir ${home}`, program]
  const driver = started(findExecutable('xvfb-run') ?? '', [...screen, `--port=${port}`, '--host=127.0.0.1'], {
    ...{
      HOME: home,
      XDG_CACHE_HOME: home,
      XDG_CONFIG_HOME: home,
      XDG_DATA_HOME: home,
      XDG_RUNTIME_DIR: home,
    },
    ...{
      LANG: 'en_US.UTF-8',
      WEBKIT_DISABLE_COMPOSITING_MODE: '1',
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
      LIBGL_ALWAYS_SOFTWARE: '1',
    },
  })
  const url = `http://127.0.0.1:${port}`
  const args = ['--automation', `--enable-javascript=${!look.isWithoutScripts}`]
  const options = { args: look.isDark ? [...args, '--dark-mode'] : args }
  const { sessionId } = await eventually(() =>
    command<{ sessionId: string }>(`${url}/session`, {
      capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
    }),
  )
  const session = `${url}/session/${sessionId}`
  return tabOf(session, await command<string>(`${session}/window`), async () => {
    await fetch(session, { method: 'DELETE' })
    await driver[Symbol.asyncDispose]()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  })
}

function tabOf(session: string, handle: string, close: () => Promise<void>): Engine {
  const send = async <Value = null>(path: string, body?: object) => {
    await command(`${session}/window`, { handle })
    return command<Value>(`${session}${path}`, body)
  }
  const act = (actions: object) => send('/actions', { actions: [actions] }).then(() => undefined)
  const evaluate = async <Value>(expression: string) => {
    const script = `const [done] = arguments
      const told = ${json(expression)}
      if (typeof told === 'string') done(told)
      else told.then(done, (error) => done(JSON.stringify({ error: String(error) })))`
    return readValue<Value>(await send<string>('/execute/async', { script, args: [] }))
  }
  return {
    evaluate,
    goto: (address) => send('/url', { url: address }).then(() => undefined),
    clickAt: (x, y) => act(pointerAt(x, y)),
    press: (...keys) => act(pressed(keys)),
    hold: (...keys) => act(held(keys)),
    async resize({ width, height }) {
      const bar = await evaluate<number>('outerHeight - innerHeight')
      await send('/window/rect', { x: 0, y: 0, width, height: height + bar })
    },
    async openTab() {
      // A tab that is not in front takes no click.
      const tab = await send<{ handle: string }>('/window/new', { type: 'window' })
      return tabOf(session, tab.handle, async () => undefined)
    },
    [Symbol.asyncDispose]: close,
  }
}

/** Sends a GET if there is no body. */
async function command<Value>(url: string, body?: object): Promise<Value> {
  const answer = await fetch(url, body && { method: 'POST', body: JSON.stringify(body) })
  const { value } = (await answer.json()) as { readonly value: Value & { readonly message?: string } }
  if (!answer.ok) throw new Error(value?.message)
  return value
}
