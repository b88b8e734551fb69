import type { User } from './connection.ts'
import { GatehouseElement, make, unseen } from './element.ts'
import { iconOf } from './icons.ts'

export class GatehouseUser extends GatehouseElement {
  static override readonly observedAttributes = [...GatehouseElement.observedAttributes, 'show-name']

  protected override changed(): void {
    if (this.connection.state.kind !== 'in') this.isOpen = false
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
    const opener = this.#opener(label, avatarOf(state.user), ...named)
    return this.isOpen ? [opener, this.#menu(state.user)] : [opener]
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
        make(
          'button',
          { class: 'line', part: 'sign-out', 'data-focus': 'sign-out', click: () => void this.#signOut() },
          iconOf('sign-out'),
          texts.signOut,
        ),
      ),
      ...this.problem(),
    )
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
  return make('div', { class: 'who' }, avatarOf(user, 'large'), words)
}

function avatarOf(user: User | undefined, size = ''): Node {
  const [initial = '?'] = nameOf(user) ?? ''
  const avatar = { class: `avatar ${size}`, part: 'picture', 'aria-hidden': 'true', 'data-initial': initial }
  if (!user?.image || !/^https:/.test(user.image)) return make('span', avatar)
  return make('span', avatar, make('img', { src: user.image, alt: '', referrerpolicy: 'no-referrer' }))
}
