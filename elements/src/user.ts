import { type Account, accountsOf, leave, stopActing, switchTo } from './accounts.ts'
import { avatarOf } from './avatar.ts'
import { GatehouseElement, make, unseen } from './element.ts'
import { iconOf } from './icons.ts'
import type { User } from './state.ts'

export class GatehouseUser extends GatehouseElement {
  static override readonly observedAttributes = [...GatehouseElement.observedAttributes, 'show-name']

  #accounts: readonly Account[] = []
  #most = 1

  protected override changed(): void {
    if (this.connection.state.kind === 'in') return
    this.isOpen = false
    this.#accounts = []
  }

  override toggle(isOpen: boolean): void {
    super.toggle(isOpen)
    if (isOpen) void this.#load()
  }

  /** The menu is there at once; without an answer it has one account. */
  async #load(): Promise<void> {
    const { state } = this.connection
    const { accounts, most } = await accountsOf(this.connection).catch(() => ({ accounts: [], most: 1 }))
    if (state !== this.connection.state) return
    this.#accounts = accounts
    this.#most = most
    this.draw()
  }

  protected content(): readonly Node[] {
    const { state } = this.connection
    const { texts } = this
    if (state.kind === 'unknown')
      return [make('span', { class: 'opener round', 'aria-busy': 'true' }, make('span', { class: 'avatar blank' }))]
    if (state.kind !== 'in') {
      const signIn = make('button', { class: 'button', part: 'button', click: () => this.signIn() }, texts.signIn)
      return [signIn, ...(state.kind === 'failed' ? [unseen(...this.problem())] : this.problem())]
    }
    const named = this.hasAttribute('show-name') ? [make('bdi', { class: 'name' }, nameOf(state.user) ?? '')] : []
    const label = [texts.account, nameOf(state.user)].filter(Boolean).join(': ')
    const opener = this.#opener(label, pictureOf(state.user), ...named)
    const acting = state.isActedBy ? [this.#stop()] : []
    return [opener, ...acting, ...(this.isOpen ? [this.#menu(state.user)] : [])]
  }

  #opener(label: string, ...children: readonly Node[]): Node {
    const attributes = {
      class: `opener round ${this.hasAttribute('show-name') ? 'named' : ''}`,
      part: 'button',
      'data-focus': 'opener',
      'aria-label': label,
      'aria-expanded': String(this.isOpen),
      click: () => this.toggle(!this.isOpen),
    }
    return make('button', attributes, ...children)
  }

  #menu(user: User | undefined): Node {
    const { texts } = this
    return make(
      'div',
      { class: 'panel small', part: 'menu', role: 'group', 'aria-label': texts.account },
      ...(user ? [whoIs(user)] : []),
      make(
        'div',
        { class: 'lines' },
        make('a', { class: 'line', part: 'link', href: `${this.origin}/settings` }, iconOf('user'), texts.manage),
        make('slot', { name: 'links' }),
        ...this.#others(user),
        make(
          'button',
          { class: 'line', part: 'sign-out', 'data-focus': 'sign-out', click: () => void this.#signOut() },
          iconOf('sign-out'),
          this.#accounts.length > 1 ? texts.signOutAll : texts.signOut,
        ),
      ),
      ...this.problem(),
    )
  }

  /** The other accounts of this browser, and how to add one or to leave this one. */
  #others(user: User | undefined): readonly Node[] {
    const { texts, connection } = this
    if (this.#most === 1) return []
    const own = this.#accounts.find((account) => account.user.id === user?.id)
    const others = this.#accounts.filter((account) => account !== own)
    const back = encodeURIComponent(location.href)
    const add = { class: 'line', part: 'link', href: `${this.origin}/sign-in?add=&return_to=${back}` }
    return [
      ...others.map((account) => {
        const words = make('bdi', { class: 'name' }, nameOf(account.user) ?? '')
        const key = `switch-${account.session.token}`
        return this.#line(key, () => switchTo(connection, account), pictureOf(account.user), words)
      }),
      make('a', add, iconOf('plus'), texts.addAccount),
      ...(own && others.length > 0
        ? [this.#line('leave', () => leave(connection, own), iconOf('sign-out'), texts.leaveAccount)]
        : []),
    ]
  }

  #line(key: string, act: () => Promise<void>, ...children: readonly (Node | string)[]): Node {
    const attempt = () => void this.attempt(act)
    return make('button', { class: 'line', part: 'account', 'data-focus': key, click: attempt }, ...children)
  }

  /** Says that somebody acts as the user, whether the menu is open or not. */
  #stop(): Node {
    const { texts } = this
    const click = () => void this.attempt(() => stopActing(this.connection))
    return make('button', { class: 'button', part: 'stop-acting', title: texts.acting, click }, texts.stopActing)
  }

  #signOut(): Promise<void> {
    return this.attempt(async () => {
      await this.connection.signOut()
      this.isOpen = false
    })
  }
}

function nameOf(user: User | undefined): string | undefined {
  return user && (user.name || user.email)
}

function whoIs(user: User): Node {
  const address = user.email === nameOf(user) ? [] : [make('bdi', { class: 'soft' }, user.email)]
  const words = make('div', {}, make('bdi', { class: 'name' }, nameOf(user) ?? ''), ...address)
  return make('div', { class: 'who' }, pictureOf(user, 'large'), words)
}

function pictureOf(user: User | undefined, look?: string): Node {
  return avatarOf(nameOf(user), user?.image, look)
}
