import { announcedPieces } from '../../src/rules/pieces.ts'
import { Approvals, sentWith, timeLeft } from './approval-card.ts'
import { GatehouseElement, make } from './element.ts'
import { iconOf } from './icons.ts'

interface Notification {
  readonly id: string
  readonly type: string
  readonly kind: string
  readonly data: { readonly expires_at?: unknown }
  readonly title: string
  readonly content: string
  readonly link: string | null
  readonly level: string
  readonly created_at: number
  read: boolean
}

interface Preferences {
  readonly items: readonly { readonly type: string; readonly email: string }[]
}

interface List {
  readonly items: Notification[]
  readonly total: number
}

const OUTSIDE = { target: '_blank', rel: 'noopener noreferrer' }
const PAGE_SIZE = 20
const HIGHEST_COUNT = 99
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

export class GatehouseNotifications extends GatehouseElement {
  #items: Notification[] = []
  #total = 0
  #countShown = -1
  #isRecounting = false
  #loads = 0
  #isUnreadOnly = false
  /** The notification whose menu is open, and those that are shown in full. */
  #menuOf: string | undefined
  readonly #whole = new Set<string>()
  readonly #approvals = new Approvals()
  #isHidden = false
  #tick: ReturnType<typeof setInterval> | undefined

  protected override changed(): void {
    const { unread, state } = this.connection
    if (state.kind === 'out' || state.kind === 'unknown') {
      this.#items = []
      this.#loads += 1
      this.isOpen = false
    } else if (state.kind === 'in' && this.isOpen && !this.#isRecounting && unread !== this.#countShown) {
      void this.#load(1)
    }
  }

  protected content(): readonly Node[] {
    const { state, unread } = this.connection
    const { texts } = this
    const count = unread > HIGHEST_COUNT ? `${HIGHEST_COUNT}+` : String(unread)
    const bell = make(
      'button',
      {
        class: 'opener round',
        part: 'bell',
        'data-focus': 'opener',
        'aria-label': unread > 0 ? `${texts.notifications}, ${texts.unread(unread)}` : texts.notifications,
        'aria-expanded': String(this.isOpen),
        click: () => this.#open(),
      },
      iconOf('bell'),
      ...(state.kind === 'failed' ? [this.badge('!')] : unread > 0 ? [this.badge(count)] : []),
    )
    if (state.kind === 'failed') return this.failure(bell)
    return this.isOpen ? [bell, this.#panel()] : [bell]
  }

  #open(): void {
    if (this.connection.state.kind === 'out') {
      this.signIn()
      return
    }
    this.#menuOf = undefined
    this.#isHidden = false
    this.#whole.clear()
    this.toggle(!this.isOpen)
    if (this.isOpen && this.connection.state.kind === 'in') void this.#load(1)
  }

  #panel(): Node {
    const { texts } = this
    const isMore = this.#items.length < this.#total
    const more = { class: 'line', part: 'more', 'data-focus': 'more', click: () => void this.#load(this.#nextPage()) }
    const preferences = { class: 'text', part: 'link', target: '_blank', rel: 'noopener' }
    const none = this.#isUnreadOnly ? texts.noneUnread : texts.none
    return make(
      'div',
      { class: 'panel', part: 'panel', role: 'group', 'aria-label': texts.notifications },
      make('div', { class: 'head' }, make('h2', {}, texts.notifications), ...this.#readAllButton()),
      make('div', { class: 'tabs' }, this.#tab(false, texts.all), this.#tab(true, texts.unreadOnly)),
      ...this.problem(),
      ...(this.#isHidden ? [make('p', { class: 'problem', role: 'status' }, texts.kindHidden)] : []),
      this.#items.length === 0
        ? this.empty('bell', none)
        : make(
            'ul',
            { class: 'list', part: 'list' },
            ...this.#items.map((item) => this.#row(item)),
            ...(isMore ? [make('li', {}, make('button', more, texts.more))] : []),
          ),
      make(
        'div',
        { class: 'foot' },
        make('a', { ...preferences, href: `${this.origin}/settings/notifications` }, texts.preferences),
      ),
    )
  }

  #readAllButton(): readonly Node[] {
    if (this.connection.unread === 0) return []
    const attributes = { class: 'text', part: 'read-all', 'data-focus': 'all', click: () => void this.#readAll() }
    return [make('button', attributes, this.texts.readAll)]
  }

  #tab(isUnreadOnly: boolean, words: string): Node {
    const choose = () => {
      this.#isUnreadOnly = isUnreadOnly
      void this.#load(1)
    }
    const isChosen = String(this.#isUnreadOnly === isUnreadOnly)
    return make('button', { 'aria-pressed': isChosen, 'data-focus': `tab-${isUnreadOnly}`, click: choose }, words)
  }

  #row(item: Notification): Node {
    const { texts } = this
    const isAsking = item.kind === 'approval'
    const mark = item.read ? 'read' : `unread ${item.level === 'warning' ? 'warning' : ''}`
    const isWhole = this.#whole.has(item.id)
    return make(
      'li',
      { part: 'item', class: `item ${mark}` },
      make('span', { class: 'dot' }),
      make(
        'div',
        { class: 'body' },
        make('h3', { dir: 'auto' }, isAsking ? item.title : this.#title(item)),
        ...(item.level === 'warning' ? [make('p', { class: 'error' }, texts.warning)] : []),
        make('p', { dir: 'auto', class: `content ${isWhole || isAsking ? '' : 'short'}` }, ...linked(item.content)),
        ...(isAsking ? this.#asking(item) : []),
        make(
          'p',
          { class: 'soft' },
          this.#when(item.created_at),
          ...(item.read ? [] : [make('span', { class: 'unseen' }, ` ${texts.unreadOne}`)]),
        ),
        ...(this.#menuOf === item.id ? [this.#acts(item)] : []),
      ),
      this.#menuButton(item),
    )
  }

  /** The card of a call that waits: decided here if the page's origin is trusted with that, else where it leads. */
  #asking(item: Notification): readonly Node[] {
    const { texts } = this
    if (!this.#approvals.isOpen(item)) {
      return [make('p', { class: 'soft', role: 'status' }, texts.outcomes[this.#approvals.outcomeOf(item.id)])]
    }
    const input = this.#approvals.inputOf(item.id)
    const act = (words: string, approve: boolean) =>
      make(
        'button',
        {
          class: `button ${approve ? 'primary' : ''}`,
          part: approve ? 'approve' : 'deny',
          'data-focus': `${approve ? 'approve' : 'deny'}-${item.id}`,
          'aria-label': `${words}: ${item.title}`,
          click: () => void this.#decide(item, approve),
        },
        words,
      )
    const link = { ...linkOf(item), class: 'button primary', click: () => void this.#read(item) }
    return [
      ...sentWith(input),
      make('p', { class: 'soft', 'data-until': String(item.data.expires_at) }, timeLeft(item.data.expires_at)),
      make(
        'div',
        { class: 'acts pair' },
        ...(input === undefined ? [make('a', link, texts.decide)] : [act(texts.approve, true), act(texts.deny, false)]),
      ),
    ]
  }

  #decide(item: Notification, approve: boolean): Promise<void> {
    return this.attempt(async () => {
      await this.#approvals.decide(this.connection, item.id, approve)
      await this.#read(item)
    })
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#tick = setInterval(() => this.#countDown(), 1_000)
  }

  override disconnectedCallback(): void {
    clearInterval(this.#tick)
    super.disconnectedCallback()
  }

  /** Draws again only when a call is over, so that the keyboard stays where it is. */
  #countDown(): void {
    const shown = [...this.root.querySelectorAll<HTMLElement>('[data-until]')]
    for (const left of shown) left.textContent = timeLeft(left.dataset.until)
    if (shown.some(({ dataset }) => Number(dataset.until) <= Date.now())) this.draw()
  }

  /** A click anywhere on the row follows its link, or else shows all of it; both mark it as read. */
  #title(item: Notification): Node {
    const link = linkOf(item)
    if (link)
      return make('a', { ...link, class: 'whole', part: 'item-link', click: () => void this.#read(item) }, item.title)
    const open = () => {
      this.#show(item)
      if (!item.read) void this.#read(item)
    }
    const isWhole = String(this.#whole.has(item.id))
    return make('button', { class: 'whole', 'aria-expanded': isWhole, 'data-focus': item.id, click: open }, item.title)
  }

  #show({ id }: Notification): void {
    if (!this.#whole.delete(id)) this.#whole.add(id)
    this.draw()
  }

  #menuButton({ id, title }: Notification): Node {
    const isOpen = this.#menuOf === id
    const toggle = () => {
      this.#menuOf = isOpen ? undefined : id
      this.draw()
    }
    const attributes = {
      class: 'more',
      'data-focus': `menu-${id}`,
      'aria-label': this.texts.actsOn(title),
      'aria-expanded': String(isOpen),
      click: toggle,
    }
    return make('button', attributes, iconOf('more'))
  }

  #acts(item: Notification): Node {
    const { texts } = this
    const link = linkOf(item)
    const act = (words: string, name: string, click: () => void) =>
      make('button', { class: 'button', 'data-focus': `${name}-${item.id}`, click }, words)
    return make(
      'div',
      { class: 'acts', role: 'group', 'aria-label': texts.actsOn(item.title) },
      ...(item.read ? [] : [act(texts.markRead, 'read', () => void this.#read(item))]),
      ...(link ? [make('a', { ...link, class: 'button', click: () => void this.#read(item) }, texts.open)] : []),
      ...(link ? [act(texts.showAll, 'show', () => this.#show(item))] : []),
      act(texts.hideKind, 'hide', () => void this.#hideKind(item)),
    )
  }

  /** No letters of this kind any more; the list stays whole. */
  #hideKind({ type }: Notification): Promise<void> {
    return this.attempt(async () => {
      const { items } = await this.connection.call<Preferences>('/api/get_notification_preferences', {})
      const others = items.filter((one) => one.type !== type)
      const changed = { items: [...others, { type, email: 'off' }] }
      await this.connection.call('/api/update_notification_preferences', changed)
      this.#menuOf = undefined
      this.#isHidden = true
    })
  }

  #when(time: number): Node {
    const passed = time - Date.now()
    const [unit, milliseconds] = UNITS.find(([, size]) => passed <= -size) ?? ['minute', 60_000]
    const { lang } = this.lang2
    const words = new Intl.RelativeTimeFormat(lang, { style: 'short', numeric: 'auto' }).format(
      Math.trunc(passed / milliseconds),
      unit,
    )
    const exact = new Date(time).toLocaleString(lang, { dateStyle: 'medium', timeStyle: 'short' })
    const isOld = passed < -7 * 86_400_000
    return make('time', { datetime: new Date(time).toISOString(), title: exact }, isOld ? exact : words)
  }

  #nextPage(): number {
    return Math.floor(this.#items.length / PAGE_SIZE) + 1
  }

  #load(page: number): Promise<void> {
    this.#countShown = this.connection.unread
    this.#loads += 1
    const load = this.#loads
    return this.attempt(async () => {
      const sent = { page, page_size: PAGE_SIZE, ...(this.#isUnreadOnly && { read: false }) }
      const spoken = { 'accept-language': this.lang2.lang }
      const { items, total } = await this.connection.call<List>('/api/list_notifications', sent, spoken)
      if (items.some(({ kind }) => kind === 'approval')) await this.#approvals.load(this.connection)
      // Another load has begun meanwhile, of the same page after a double click.
      if (load !== this.#loads) return
      this.#items = page === 1 ? items : [...this.#items, ...items]
      this.#total = total
    })
  }

  #read(item: Notification): Promise<void> {
    return this.attempt(async () => {
      await this.connection.call('/api/read_notification', { id: item.id })
      item.read = true
      await this.#recount()
    })
  }

  #readAll(): Promise<void> {
    return this.attempt(async () => {
      await this.connection.call('/api/read_all_notifications', {})
      for (const item of this.#items) item.read = true
      await this.#recount()
    })
  }

  /** The marks are in the list already, so the new count needs no other list. */
  async #recount(): Promise<void> {
    this.#isRecounting = true
    await this.connection.recount()
    this.#isRecounting = false
    this.#countShown = this.connection.unread
  }
}

function linkOf({ link }: Notification): Record<string, string> | undefined {
  const href = addressOf(link)
  if (href === undefined) return undefined
  return new URL(href).origin === location.origin ? { href } : { href, ...OUTSIDE }
}

/** Addresses in a text as links, as on the page of notifications. */
function linked(text: string): readonly (Node | string)[] {
  return announcedPieces(text).map(({ text, url, isBold }) => {
    const words = isBold ? make('b', {}, text) : text
    return url ? make('a', { href: url, ...OUTSIDE }, words) : words
  })
}

/** A path is one of the page's own site; anything else must be https. */
function addressOf(link: string | null): string | undefined {
  if (!link || /[\\\s]/.test(link) || link.startsWith('//')) return undefined
  const url = URL.parse(link, location.origin)
  if (!url) return undefined
  return url.protocol === 'https:' || url.origin === location.origin ? url.href : undefined
}
