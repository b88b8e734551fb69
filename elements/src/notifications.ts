import { GatehouseElement, make } from './element.ts'

interface Notification {
  readonly id: string
  readonly title: string
  readonly content: string
  readonly link: string | null
  readonly level: string
  readonly created_at: number
  read: boolean
}

interface List {
  readonly items: Notification[]
  readonly total: number
}

const PAGE_SIZE = 20
const WHEN = { dateStyle: 'medium', timeStyle: 'short' } as const
const SVG = 'http://www.w3.org/2000/svg'
const BELL = 'M5 8.5a5 5 0 0 1 10 0c0 4 1.5 5 1.5 5h-13S5 12.5 5 8.5M8.25 16.5a2 2 0 0 0 3.5 0'

export class GatehouseNotifications extends GatehouseElement {
  #items: Notification[] = []
  #total = 0
  #countShown = -1
  #isRecounting = false
  #loads = 0

  protected override changed(): void {
    const { unread, state } = this.connection
    if (state.kind !== 'in') {
      this.#items = []
      this.#loads += 1
      this.isOpen = false
    } else if (this.isOpen && !this.#isRecounting && unread !== this.#countShown) void this.#load(1)
  }

  protected content(): readonly Node[] {
    const { state, unread } = this.connection
    const { texts } = this
    const label = unread > 0 ? `${texts.notifications}, ${texts.unread(unread)}` : texts.notifications
    const bell = make(
      'button',
      {
        part: 'bell',
        'data-focus': 'opener',
        'aria-label': label,
        'aria-expanded': String(this.isOpen),
        click: () => this.#open(),
      },
      bellIcon(),
      ...(unread > 0 ? [make('span', { class: 'badge', part: 'count', 'aria-hidden': 'true' }, String(unread))] : []),
    )
    if (state.kind === 'failed') return [bell, ...this.problem()]
    return this.isOpen ? [bell, this.#panel()] : [bell]
  }

  #open(): void {
    if (this.connection.state.kind === 'out') {
      this.signIn()
      return
    }
    this.toggle(!this.isOpen)
    if (this.isOpen) void this.#load(1)
  }

  #panel(): Node {
    const { texts, connection } = this
    const readAll = make(
      'button',
      { class: 'plain', part: 'read-all', 'data-focus': 'all', click: () => void this.#readAll() },
      texts.readAll,
    )
    const more = make(
      'button',
      {
        part: 'more',
        'data-focus': 'more',
        click: () => void this.#load(this.#items.length / PAGE_SIZE + 1),
      },
      texts.more,
    )
    const preferences = { class: 'plain', part: 'link', target: '_blank', rel: 'noopener' }
    return make(
      'div',
      { class: 'panel', part: 'panel', role: 'group', 'aria-label': texts.notifications },
      make('div', { class: 'row' }, make('h2', {}, texts.notifications), ...(connection.unread > 0 ? [readAll] : [])),
      ...this.problem(),
      this.#items.length === 0
        ? make('p', { class: 'soft' }, texts.none)
        : make('ul', { part: 'list' }, ...this.#items.map((item) => this.#row(item))),
      ...(this.#items.length < this.#total ? [more] : []),
      make('a', { ...preferences, href: `${this.origin}/settings/notifications` }, texts.preferences),
    )
  }

  #row(item: Notification): Node {
    const { texts } = this
    const address = addressOf(item.link)
    const isOutside = address !== undefined && new URL(address).origin !== location.origin
    const target: Record<string, string> = isOutside ? { target: '_blank', rel: 'noopener noreferrer' } : {}
    const follow = { part: 'item-link', click: () => void this.#read(item), ...target }
    const read = { class: 'plain', 'data-focus': item.id, click: () => void this.#read(item) }
    const isWarning = item.level === 'warning'
    return make(
      'li',
      { part: 'item', class: item.read ? '' : `unread ${isWarning ? 'warning' : ''}` },
      make('h3', { dir: 'auto' }, item.title),
      ...(isWarning ? [make('p', { class: 'error' }, texts.warning)] : []),
      make('p', { dir: 'auto', class: 'content' }, item.content),
      make(
        'div',
        { class: 'row' },
        make('span', { class: 'soft' }, new Date(item.created_at).toLocaleString(this.lang2.lang, WHEN)),
        ...(address === undefined ? [] : [make('a', { ...follow, href: address, class: 'plain' }, texts.open)]),
        ...(item.read ? [] : [make('button', read, texts.markRead)]),
      ),
    )
  }

  #load(page: number): Promise<void> {
    this.#countShown = this.connection.unread
    this.#loads += 1
    const load = this.#loads
    return this.attempt(async () => {
      const sent = { page, page_size: PAGE_SIZE }
      const { items, total } = await this.connection.call<List>('/api/list_notifications', sent)
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

/** Drawn, since many machines have no font with a bell. */
function bellIcon(): Node {
  const icon = document.createElementNS(SVG, 'svg')
  const shape = { viewBox: '0 0 20 20', 'aria-hidden': 'true', class: 'icon' }
  for (const [name, value] of Object.entries(shape)) icon.setAttribute(name, value)
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', BELL)
  icon.append(path)
  return icon
}

/** A path is one of the page's own site; anything else must be https. */
function addressOf(link: string | null): string | undefined {
  if (!link || /[\\\s]/.test(link) || link.startsWith('//')) return undefined
  const url = URL.parse(link, location.origin)
  if (!url) return undefined
  return url.protocol === 'https:' || url.origin === location.origin ? url.href : undefined
}
