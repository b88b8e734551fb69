import type { User } from './connection.ts'
import { GatehouseElement, make } from './element.ts'

export class GatehouseUser extends GatehouseElement {
  protected override changed(): void {
    if (this.connection.state.kind !== 'in') this.isOpen = false
  }

  protected content(): readonly Node[] {
    const { state } = this.connection
    const { texts } = this
    if (state.kind === 'unknown') return [make('span', { 'aria-busy': 'true' }, '…')]
    if (state.kind !== 'in') {
      const signIn = make('button', { part: 'button', click: () => this.signIn() }, texts.signIn)
      return [signIn, ...this.problem()]
    }
    const opener = make(
      'button',
      {
        part: 'button',
        'data-focus': 'opener',
        'aria-expanded': String(this.isOpen),
        click: () => this.toggle(!this.isOpen),
      },
      avatarOf(state.user),
      ...(state.user ? [make('span', { class: 'unseen' }, `${texts.account}: `)] : []),
      make('bdi', { class: 'name' }, state.user?.name ?? texts.account),
    )
    return this.isOpen ? [opener, this.#menu(state.user)] : [opener]
  }

  #menu(user: User | undefined): Node {
    const { texts } = this
    return make(
      'div',
      { class: 'panel stack', part: 'menu', role: 'group', 'aria-label': texts.account },
      ...(user ? [make('bdi', {}, user.name), make('bdi', { class: 'soft' }, user.email)] : []),
      make('a', { class: 'plain', part: 'link', href: `${this.origin}/settings` }, texts.manage),
      make('slot', { name: 'links' }),
      make('button', { class: 'plain', part: 'sign-out', click: () => void this.#signOut() }, texts.signOut),
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

function avatarOf(user: User | undefined): Node {
  const [initial = '?'] = user?.name ?? ''
  const avatar = {
    class: 'avatar',
    part: 'picture',
    'aria-hidden': 'true',
    'data-initial': initial.toUpperCase(),
  }
  if (!user?.image || !/^https:/.test(user.image)) return make('span', avatar)
  return make('span', avatar, make('img', { src: user.image, alt: '', referrerpolicy: 'no-referrer' }))
}
