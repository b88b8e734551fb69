import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'

/** The way in which its reader has set up the browser. */
export interface Look {
  readonly isDark?: boolean
  readonly hasForcedColors?: boolean
  readonly hasReducedMotion?: boolean
  readonly isWithoutScripts?: boolean
}

interface Screen {
  readonly width: number
  readonly height: number
}

export interface Engine extends AsyncDisposable {
  goto(url: string): Promise<void>
  /** The value of an expression in the page, which can be a promise. */
  evaluate<Value>(expression: string): Promise<Value>
  /** Clicks with the pointer, at a place in the window. */
  clickAt(x: number, y: number): Promise<void>
  /** One after the other, or all held at once. */
  press(...keys: readonly string[]): Promise<void>
  hold(...keys: readonly string[]): Promise<void>
  /** Sets the page's share of the window, which at 200 % is half of it. */
  resize(screen: Screen): Promise<void>
  openTab(): Promise<Engine>
}

const PATIENCE_MILLISECONDS = 30_000
const PAUSE_MILLISECONDS = 50

/** A person's acts, by the names that assistive technology reads; they reach into shadow roots. */
export class EnginePage implements AsyncDisposable {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  goto(url: string): Promise<void> {
    return this.#engine.goto(url)
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#engine[Symbol.asyncDispose]()
  }

  press(...keys: readonly string[]): Promise<void> {
    return this.#engine.press(...keys)
  }

  hold(...keys: readonly string[]): Promise<void> {
    return this.#engine.hold(...keys)
  }

  resize(screen: Screen): Promise<void> {
    return this.#engine.resize(screen)
  }

  async openTab(): Promise<EnginePage> {
    return new EnginePage(await this.#engine.openTab())
  }

  evaluate<Value>(expression: string): Promise<Value> {
    return this.#engine.evaluate<Value>(expression)
  }

  /** Resolves once the expression is true. */
  async until(expression: string): Promise<void> {
    const end = performance.now() + PATIENCE_MILLISECONDS
    while (performance.now() < end) {
      if (await this.#engine.evaluate<boolean>(`Boolean(${expression})`).catch(() => false)) return
      await wait(PAUSE_MILLISECONDS)
    }
    const text = await this.#engine.evaluate<string>(`(${ALL_TEXT})()`)
    throw new Error(`never true: ${expression}\nThe page shows: ${text}`)
  }

  async see(role: 'button' | 'heading' | 'link' | 'text', name: string): Promise<void> {
    await this.until(`(${FIND})(${JSON.stringify(role)}, ${JSON.stringify(name)})`)
  }

  async click(role: 'button' | 'link', name: string): Promise<void> {
    const found = `(${FIND})(${JSON.stringify(role)}, ${JSON.stringify(name)})`
    await this.until(found)
    const { x, y } = await this.#engine.evaluate<{ x: number; y: number }>(`(() => {
      const found = ${found}
      found.scrollIntoView({ block: 'center' })
      const { left, top, width, height } = found.getBoundingClientRect()
      return { x: Math.round(left + width / 2), y: Math.round(top + height / 2) }
    })()`)
    await this.#engine.clickAt(x, y)
  }
}

const ALL = `(root) => [...root.querySelectorAll('*')].flatMap((one) =>
  one.shadowRoot ? [one, ...all(one.shadowRoot)] : [one])`

/** Finds it by its exact label or text, if it is drawn. */
const FIND = `(role, name) => {
  const all = ${ALL}
  const kinds = { button: 'button', link: 'a[href]', heading: 'h1,h2,h3', text: '*' }
  return all(document).filter((one) => one.matches(kinds[role]) && one.getClientRects().length > 0)
    .findLast((one) => (one.getAttribute('aria-label') ?? one.textContent).trim() === name)
}`

const ALL_TEXT = `() => {
  const all = ${ALL}
  return all(document).filter((one) => one.children.length === 0).map((one) => one.textContent.trim()).filter(Boolean).join(' | ')
}`

/** The actions of WebDriver, which both engines understand. */
export const pointerAt = (x: number, y: number) => ({
  ...{ type: 'pointer', id: 'mouse' },
  actions: [
    { type: 'pointerMove', x, y, origin: 'viewport', duration: 0 },
    ...['pointerDown', 'pointerUp'].map((type) => ({ type, button: 0 })),
  ],
})
const keysOf = (actions: readonly object[]) => ({ type: 'key', id: 'keys', actions })
export const pressed = (keys: readonly string[]) =>
  keysOf(keys.flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value }))))
export const held = (keys: readonly string[]) =>
  keysOf([
    ...keys.map((value) => ({ type: 'keyDown', value })),
    ...keys.toReversed().map((value) => ({ type: 'keyUp', value })),
  ])

/** Runs in a process group of its own, which ends with it: browsers consist of many processes. */
export function started(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Started {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  return {
    child,
    said: () => said,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.pid === undefined) return
      const ended = once(child, 'exit')
      process.kill(-child.pid, 'SIGKILL')
      await ended
    },
  }
}

interface Started extends AsyncDisposable {
  readonly child: ChildProcess
  said(): string
}

/** The value, once there is one. */
export async function eventually<Value>(give: () => Promise<Value | undefined>): Promise<Value> {
  const end = performance.now() + PATIENCE_MILLISECONDS
  for (;;) {
    const value = await give().catch(() => undefined)
    if (value !== undefined) return value
    if (performance.now() > end) throw new Error('it did not start')
    await wait(PAUSE_MILLISECONDS)
  }
}
