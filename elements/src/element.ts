import { accountsOf, switchTo } from './accounts.ts'
import { type Connection, connectionTo } from './connection.ts'
import { Failed, failedOf } from './failed.ts'
import { iconOf } from './icons.ts'
import type { TokenSource } from './requests.ts'
import { styleSheet } from './styles.ts'
import { spoken, type Texts } from './texts.ts'

const MARGIN = 8
const GAP = 6
const SMALLEST_PANEL = 240
const SCRIPT_ORIGIN = new URL(import.meta.url).origin

/** Text and attributes only: nothing that anybody wrote becomes markup. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | (() => void)>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'string') made.setAttribute(key, value)
    else made.addEventListener(key, value)
  }
  made.append(...children)
  return made
}

/** For screen readers alone. */
export function unseen(...words: readonly (Node | string)[]): Node {
  return make('div', { class: 'unseen' }, ...words)
}

/** The base of the elements: server, language, theme, token, and errors in words. */
export abstract class GatehouseElement extends HTMLElement {
  static readonly observedAttributes = ['server', 'lang', 'theme', 'version']
  protected readonly root = this.attachShadow({ mode: 'open' })
  protected error: Failed | undefined
  isOpen = false
  #token: TokenSource | undefined
  #leave: (() => void) | undefined
  #wasIn: boolean | undefined
  #isShown = false
  readonly #closeOutside = (event: Event) => {
    if (!this.isOpen) return
    for (const place of event.composedPath()) if (place === this) return
    this.toggle(false)
  }
  readonly #move = () => this.#placePanel()

  constructor() {
    super()
    this.root.adoptedStyleSheets = [styleSheet()]
    this.root.addEventListener('keydown', (event) => {
      if (event instanceof KeyboardEvent && event.key === 'Escape' && this.isOpen) this.toggle(false)
    })
  }

  get token(): TokenSource | undefined {
    return this.#token
  }

  set token(token: TokenSource | null | undefined) {
    this.#token = token ?? undefined
    if (this.#leave) this.#join()
  }

  get connection(): Connection {
    return connectionTo(this.origin, this.#token)
  }

  // Not called `server`: React 19, Vue and Svelte would set a property of that name.
  get origin(): string {
    const wished = URL.parse(this.getAttribute('server') ?? SCRIPT_ORIGIN, document.baseURI)
    return wished && /^https?:$/.test(wished.protocol) ? wished.origin : SCRIPT_ORIGIN
  }

  get lang2(): ReturnType<typeof spoken> {
    const around = this.parentElement?.closest('[lang]')?.getAttribute('lang')
    return spoken([this.getAttribute('lang'), around, navigator.language])
  }

  get texts(): Texts {
    return this.lang2.texts
  }

  connectedCallback(): void {
    // A token that was set before the script had loaded would hide the accessor.
    const own = Object.getOwnPropertyDescriptor(this, 'token')
    if (own) {
      Reflect.deleteProperty(this, 'token')
      this.#token = own.value
    }
    document.addEventListener('click', this.#closeOutside)
    addEventListener('resize', this.#move)
    addEventListener('scroll', this.#move, { capture: true, passive: true })
    this.draw()
    // A page sets the token after it has made the element.
    setTimeout(() => this.isConnected && this.#join())
  }

  disconnectedCallback(): void {
    document.removeEventListener('click', this.#closeOutside)
    removeEventListener('resize', this.#move)
    removeEventListener('scroll', this.#move, { capture: true })
    this.#leave?.()
    this.#leave = undefined
  }

  attributeChangedCallback(name: string): void {
    if (!this.isConnected) return
    if (name === 'server' && this.#leave) this.#join()
    else this.draw()
  }

  #join(): void {
    this.#leave?.()
    this.#wasIn = undefined
    this.#leave = this.connection.listen(() => this.#changed())
    this.#changed()
  }

  #changed(): void {
    const { kind } = this.connection.state
    const isIn = kind === 'in'
    if (isIn && this.#wasIn !== true) this.tell('signed-in')
    if (kind === 'out' && this.#wasIn === true) this.tell('signed-out')
    if (isIn || kind === 'out') this.#wasIn = isIn
    if (kind === 'out') this.error = undefined
    this.changed()
    this.redraw()
  }

  /** Called when the connection has changed. An element can override it to skip changes it does not show. */
  protected redraw(): void {
    this.draw()
  }

  protected changed(): void {
    // Overridden by elements that show more than the user and the count.
  }

  protected tell(name: string, detail?: object): void {
    this.dispatchEvent(new CustomEvent(`gatehouse:${name}`, { detail, bubbles: true, composed: true }))
  }

  protected draw(): void {
    if (!this.isConnected) return
    const { activeElement } = this.root
    const focused = activeElement?.getAttribute('data-focus')
    const scrolled = this.root.querySelector('.list')?.scrollTop ?? 0
    const content = isFramed() ? [make('p', { class: 'soft' }, this.texts.framed)] : this.content()
    const frame = make('div', { lang: this.lang2.lang, part: 'root', class: 'frame' }, ...content)
    const { accentColor, color } = getComputedStyle(this)
    if (accentColor !== 'auto') frame.style.setProperty('--page-accent', accentColor)
    frame.style.setProperty('--page-color', color)
    this.root.replaceChildren(frame)
    this.#showPanel()
    if (focused) this.#find(focused).focus({ preventScroll: scrolled > 0 })
    this.root.querySelector('.list')?.scrollTo(0, scrolled)
  }

  /** In the top layer, so that no header clips it; where there is none, below the opener. */
  #showPanel(): void {
    const panel = this.root.querySelector<HTMLElement>('.panel')
    if (panel && this.#isShown) panel.classList.add('again')
    this.#isShown = panel !== null
    if (!panel?.showPopover) return
    panel.popover = 'manual'
    panel.showPopover()
    this.#placePanel()
  }

  #placePanel(): void {
    const panel = this.root.querySelector<HTMLElement>('.panel[popover]')
    const opener = this.root.querySelector('[data-focus=opener]')
    if (!panel || !opener) return
    const { clientWidth, clientHeight } = document.documentElement
    const { left, right, top, bottom } = opener.getBoundingClientRect()
    const wished = left + right < clientWidth ? left : right - panel.offsetWidth
    const below = clientHeight - bottom - GAP - MARGIN
    const isAbove = below < SMALLEST_PANEL && top > below
    panel.style.maxBlockSize = `${Math.max(SMALLEST_PANEL, Math.min(560, isAbove ? top - GAP - MARGIN : below))}px`
    panel.style.left = `${Math.max(MARGIN, Math.min(wished, clientWidth - MARGIN - panel.offsetWidth))}px`
    panel.style.top = `${isAbove ? top - GAP - panel.offsetHeight : bottom + GAP}px`
  }

  /** If the element is gone, finds the one that opened it, so that the keyboard continues there. */
  #find(name: string): HTMLElement {
    const found = (key: string) => this.root.querySelector<HTMLElement>(`[data-focus="${CSS.escape(key)}"]`)
    return found(name) ?? found('opener') ?? this
  }

  protected abstract content(): readonly Node[]

  toggle(isOpen: boolean): void {
    this.isOpen = isOpen
    this.draw()
    if (!isOpen) this.#find('opener').focus()
  }

  /** Shows an error inside the element, and never throws it into the page. */
  async attempt(act: () => Promise<void>): Promise<void> {
    this.error = undefined
    try {
      await act()
    } catch (error) {
      this.error = failedOf(error)
    }
    this.draw()
  }

  problem(known?: Failed): readonly Node[] {
    const { state } = this.connection
    const error = this.error ?? known ?? (state.kind === 'failed' ? state.error : undefined)
    if (!error) return []
    const words = make('p', { role: 'alert', class: 'error problem', part: 'error' }, this.wordsFor(error))
    return error.code === 'OTHER_ACCOUNT' ? [words, this.#waysOn()] : [words]
  }

  /** The page has switched to another account: back to the one that is shown here, or on with the other. */
  #waysOn(): Node {
    const { connection, texts } = this
    const { state } = connection
    const shown = state.kind === 'in' ? state.user : undefined
    const back = () =>
      this.attempt(async () => {
        const own = (await accountsOf(connection)).accounts.find(({ user }) => user.id === shown?.id)
        if (!own) throw new Failed(401, 'INVALID_SESSION_TOKEN')
        await switchTo(connection, own)
      })
    const goOn = () => this.attempt(() => connection.begin())
    const button = { class: 'button', type: 'button', part: 'button' }
    return make(
      'div',
      { class: 'acts' },
      make(
        'button',
        { ...button, 'data-focus': 'back', click: () => void back() },
        texts.switchBack(shown?.email ?? ''),
      ),
      make('button', { ...button, 'data-focus': 'go-on', click: () => void goOn() }, texts.goOn),
    )
  }

  /** The words of a failure without a panel to stand in: said at once, and shown when it is opened. */
  failure(opener: Node, known?: Failed): readonly Node[] {
    if (!this.isOpen) return [opener, unseen(...this.problem(known))]
    const words = make('div', { class: 'panel small', part: 'panel', role: 'group' }, ...this.problem(known))
    return [opener, words]
  }

  protected badge(words: string): Node {
    return make('span', { class: 'badge', part: 'count', 'aria-hidden': 'true' }, words)
  }

  protected empty(icon: Parameters<typeof iconOf>[0], words: string): Node {
    return make('div', { class: 'empty', part: 'empty' }, iconOf(icon, 'big'), make('p', {}, words))
  }

  protected wordsFor({ status, code }: Failed): string {
    const { texts } = this
    if (code === 'OTHER_ACCOUNT') return texts.otherAccount
    if (status === 0 || status >= 502) return texts.unreachable
    if (status === 401) return texts.signInFirst
    if (status === 403) return texts.notAllowed
    return status === 429 ? texts.busy : texts.failed
  }

  protected signIn(): void {
    const back = encodeURIComponent(location.href)
    location.assign(`${this.origin}/sign-in?return_to=${back}`)
  }
}

/** A page of another site around this one could place something over it, and have it clicked. */
function isFramed(): boolean {
  try {
    return window.top !== window && window.top?.location.origin !== location.origin
  } catch {
    return true
  }
}
