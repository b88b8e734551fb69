import { GatehouseElement, make } from './element.ts'
import { Failed } from './failed.ts'
import { iconOf } from './icons.ts'
import { own } from './own.ts'
import type { State } from './state.ts'
import type { Texts } from './texts.ts'

interface Feedback {
  readonly content: string
  readonly status: keyof Texts['statuses']
  readonly reply: string
  readonly created_at: number
}

interface Draft {
  kind: string
  text: string
  /** The same for each attempt to send it, so that it arrives once; from another page too. */
  key: string
  context?: Record<string, string>
  /** Hidden from everybody else who signs in at this browser. Undefined until the server has said who writes it. */
  writer: string | undefined
}

const LONGEST = 10_000
const LONGEST_PAGE = 1_200
const LONGEST_VERSION = 200

export class GatehouseFeedback extends GatehouseElement {
  #draft: Draft | undefined
  #shown: 'form' | 'sent' | 'own' = 'form'
  #own: readonly Feedback[] = []
  #isSending = false
  #isEmpty = false
  #drawn: State | undefined

  protected override changed(): void {
    if (this.connection.state.kind !== 'out') return
    this.#draft = undefined
    this.#own = []
    if (this.isOpen) this.error = new Failed(401, 'UNAUTHORIZED')
    this.isOpen = false
  }

  /** A new notification must not disturb someone who is typing. */
  protected override redraw(): void {
    if (this.connection.state !== this.#drawn) this.draw()
  }

  protected override draw(): void {
    this.#drawn = this.connection.state
    const before = this.root.querySelector('textarea')
    super.draw()
    const text = this.root.querySelector('textarea')
    if (before) text?.setSelectionRange(before.selectionStart, before.selectionEnd)
    const dialog = this.root.querySelector('dialog')
    if (!dialog || dialog.open) return
    const focused = this.root.activeElement
    dialog.showModal()
    if (focused instanceof HTMLElement && focused !== this.root.activeElement) focused.focus()
  }

  protected content(): readonly Node[] {
    const { texts } = this
    const opener = make(
      'button',
      {
        class: 'button',
        part: 'button',
        'data-focus': 'opener',
        'aria-haspopup': 'dialog',
        click: () => this.#open(),
      },
      iconOf('message'),
      texts.feedback,
    )
    if (!this.isOpen) return this.connection.state.kind === 'in' ? [opener] : [opener, ...this.problem()]
    const close = { class: 'close', 'data-focus': 'close', 'aria-label': texts.close, click: () => this.toggle(false) }
    const dialog = make(
      'dialog',
      { part: 'dialog', 'aria-label': texts.feedback, lang: this.lang2.lang },
      make(
        'div',
        { class: 'bar' },
        make('h2', {}, this.#shown === 'own' ? texts.own : texts.feedback),
        make('button', close, iconOf('cross')),
      ),
      ...this.#body(),
    )
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault()
      this.toggle(false)
    })
    return [opener, dialog]
  }

  #open(): void {
    if (this.connection.state.kind === 'out') {
      this.signIn()
      return
    }
    this.#shown = 'form'
    this.error = undefined
    this.toggle(true)
    this.root.querySelector('textarea')?.focus()
  }

  #body(): readonly Node[] {
    const { texts } = this
    if (this.#shown === 'form') return [this.#form()]
    const back = this.#go('form', texts.write)
    if (this.#shown === 'own') return [make('div', { class: 'stack' }, this.#ownList(), ...this.problem(), back)]
    const sent = make('div', { class: 'empty', role: 'status' }, iconOf('check', 'big'), make('p', {}, texts.sent))
    return [sent, make('div', { class: 'ends' }, back, this.#go('own', texts.own))]
  }

  #go(shown: 'form' | 'own', words: string): Node {
    const go = () => {
      this.#shown = shown
      this.draw()
      if (shown === 'own') void this.#loadOwn()
    }
    return make('button', { class: 'text', type: 'button', 'data-focus': `go-${shown}`, click: go }, words)
  }

  #form(): Node {
    const { texts } = this
    const draft = this.#currentDraft()
    const text = make('textarea', {
      'data-focus': 'text',
      part: 'text',
      maxlength: String(LONGEST),
      dir: 'auto',
    })
    text.value = draft.text
    text.addEventListener('input', () => this.#keep({ text: text.value }))
    const empty = this.#isEmpty ? [make('p', { role: 'alert', class: 'error' }, texts.empty)] : []
    const submission = { class: 'button primary', part: 'submit', 'data-focus': 'submit', type: 'submit' }
    const submit = make('button', submission, texts.send)
    submit.disabled = this.#isSending
    const form = make(
      'form',
      {},
      this.#kinds(draft.kind),
      make('label', {}, make('span', { class: 'label' }, texts.message), text),
      ...empty,
      ...this.problem(),
      make('div', { class: 'ends' }, this.#go('own', texts.own), submit),
    )
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#send()
    })
    return form
  }

  #kinds(chosen: string): Node {
    const { texts } = this
    const choices = Object.entries(texts.kinds).map(([value, words]) => {
      const choice = make('input', { type: 'radio', name: 'kind', value, 'data-focus': `kind-${value}` })
      choice.checked = value === chosen
      choice.addEventListener('change', () => this.#keep({ kind: value }))
      return make('label', {}, choice, make('span', {}, words))
    })
    const kinds = make('div', { class: 'kinds', part: 'kind' }, ...choices)
    return make('fieldset', {}, make('legend', {}, texts.kind), kinds)
  }

  #ownList(): Node {
    const { texts } = this
    if (this.#own.length === 0) return this.empty('inbox', texts.ownNone)
    const rows = this.#own.map(({ content, status, reply, created_at }) =>
      make(
        'li',
        { part: 'own-item' },
        make('p', { dir: 'auto', class: 'content' }, content),
        make(
          'p',
          { class: 'soft' },
          `${texts.statuses[status] ?? status} · ${new Date(created_at).toLocaleDateString(this.lang2.lang)}`,
        ),
        ...(reply ? [answerOf(texts.answer, reply)] : []),
      ),
    )
    return make('ul', { class: 'own' }, ...rows)
  }

  #loadOwn(): Promise<void> {
    return this.attempt(async () => {
      const { state } = this.connection
      const sent = { page_size: 50 }
      const { items } = await this.connection.call<{ items: Feedback[] }>('/api/list_own_feedbacks', sent)
      if (state === this.connection.state) this.#own = items
    })
  }

  async #send(): Promise<void> {
    const draft = { context: this.#context(), ...this.#currentDraft() }
    const { kind, text, key, context } = draft
    this.#isEmpty = text.trim() === ''
    if (this.#isEmpty || this.#isSending) return this.draw()
    this.#isSending = true
    this.#store(draft)
    await this.attempt(async () => {
      const sent = { type: kind, content: text, context }
      const { id } = await this.connection.call<{ id: string }>('/api/submit_feedback', sent, {
        'idempotency-key': key,
      })
      this.#shown = 'sent'
      if (this.#currentDraft().key === key) this.#forget()
      this.tell('feedback', { id })
    })
    this.#isSending = false
    this.draw()
    this.root.querySelector<HTMLElement>('[data-focus=close]')?.focus()
  }

  #context(): Record<string, string> {
    const version = this.getAttribute('version')?.slice(0, LONGEST_VERSION)
    const page = `${location.origin}${location.pathname}${location.search}`.slice(0, LONGEST_PAGE)
    return { page: encodeAscii(page), ...(version && { version }) }
  }

  get #place(): string {
    return `gatehouse:feedback:${this.origin}`
  }

  #currentDraft(): Draft {
    const { state } = this.connection
    const writer = state.kind === 'in' ? (state.user?.email ?? '') : undefined
    const begun = this.#draft ?? { kind: 'idea', text: '', key: randomKey(), writer: undefined }
    if (writer === undefined || begun.writer !== undefined) this.#draft = begun
    else if (begun.text === '') this.#draft = storedDraft(this.#place, writer) ?? { ...begun, writer }
    else this.#store({ ...begun, writer })
    return this.#draft ?? begun
  }

  #keep(changes: Partial<Draft>): void {
    const { context: _, ...draft } = this.#currentDraft()
    this.#store({ ...draft, ...changes, key: randomKey() })
  }

  #store(draft: Draft): void {
    this.#draft = draft
    if (draft.writer === undefined) return
    try {
      localStorage.setItem(this.#place, own.stringify(draft))
    } catch {
      // Without storage the draft lives as long as the page.
    }
  }

  #forget(): void {
    this.#draft = undefined
    try {
      localStorage.removeItem(this.#place)
    } catch {
      // Without storage nothing was kept.
    }
  }
}

function answerOf(title: string, reply: string): Node {
  const text = make('p', { dir: 'auto', class: 'content' }, reply)
  return make('div', { class: 'answer' }, make('h3', {}, title), text)
}

function storedDraft(place: string, writer: string): Draft | undefined {
  try {
    const draft = own.parse(localStorage.getItem(place) ?? '{}')
    const isWhole = [draft.kind, draft.text, draft.key].every((one) => typeof one === 'string')
    return isWhole && draft.writer === writer ? draft : undefined
  } catch {
    return undefined
  }
}

function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The address is already percent-encoded, except what a page has put there itself. */
function encodeAscii(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '')
}
