import type { avatarOf } from './avatar.ts'
import type { Connection } from './connection.ts'
import type { GatehouseElement, make } from './element.ts'
import type { iconOf } from './icons.ts'
import type { Organizations } from './organizations.ts'
import type { State } from './state.ts'
import { wordsIn } from './switcher-words.ts'

/** Comes from the part that has the elements. */
interface Kit {
  readonly make: typeof make
  readonly iconOf: typeof iconOf
  readonly avatarOf: typeof avatarOf
}

/** One of the user's organisations, or the user without any. */
interface Place {
  readonly id: string | null
  readonly name: string
  readonly details: string
  readonly suspended: boolean
  picture(look?: string): Node
}

type SignedIn = Extract<State, { kind: 'in' }>

/** Shows where the user acts and where else they could. All but the switch is on the pages that it links to. */
export class Switcher {
  readonly #element: GatehouseElement
  readonly #kit: Kit
  readonly #connection: Connection
  readonly #words: ReturnType<typeof wordsIn>

  constructor(element: GatehouseElement, kit: Kit) {
    this.#element = element
    this.#kit = kit
    this.#connection = element.connection
    this.#words = wordsIn(element.lang2.lang)
  }

  /** Undefined while nothing is known yet. */
  content(): readonly Node[] | undefined {
    const { state, organizations } = this.#connection
    const { value, error } = organizations
    if (state.kind === 'failed' || (error && !value)) return this.#failure()
    if (state.kind !== 'in' || !value) return undefined
    const places = this.#places(state, value)
    const active = places.find(({ id }) => id === state.organizationId)
    if (!active && state.organizationId !== null) return undefined
    const opener = this.#opener(active)
    return this.#element.isOpen ? [opener, this.#panel(state, places, active)] : [opener]
  }

  #failure(): readonly Node[] {
    const opener = this.#opener(undefined)
    return this.#element.failure(opener, this.#connection.organizations.error)
  }

  #places({ user }: SignedIn, { items }: Organizations): readonly Place[] {
    const words = this.#words
    const { avatarOf } = this.#kit
    const email = user?.email ?? ''
    const personal: Place = {
      ...{ id: null, name: words.personal, details: email, suspended: false },
      picture: (look) => avatarOf(user?.name || email, user?.image, look),
    }
    const places = items.map(
      ({ id, name, logo, roles, suspended }): Place => ({
        ...{ id, name, suspended },
        details: suspended ? words.suspended : roles.map((role) => words.roles.get(role) ?? role).join(', '),
        picture: (look = '') => avatarOf(name, logo, `square ${look}`),
      }),
    )
    return this.#element.hasAttribute('hide-personal') ? places : [personal, ...places]
  }

  #opener(active: Place | undefined): Node {
    const { make, iconOf } = this.#kit
    const { isOpen } = this.#element
    const name = active?.name ?? this.#words.none
    const attributes = {
      ...{ class: 'opener round named places', part: 'button', 'data-focus': 'opener' },
      ...{ 'aria-label': `${this.#words.organization}: ${name}`, 'aria-expanded': String(isOpen) },
      click: () => this.#element.toggle(!isOpen),
    }
    const picture = active?.picture() ?? iconOf('organization')
    return make('button', attributes, picture, make('bdi', { class: 'name' }, name), iconOf('choose', 'icon choose'))
  }

  #panel(state: SignedIn, places: readonly Place[], active: Place | undefined): Node {
    const { make } = this.#kit
    const { isByToken } = this.#connection
    const others = isByToken || state.isActedBy ? [] : places.filter((place) => place !== active)
    const { texts } = this.#element
    return make(
      'div',
      { class: 'panel small', part: 'menu', role: 'group', 'aria-label': this.#words.organization },
      ...(active ? [this.#who(active)] : []),
      ...(state.isActedBy ? [make('p', { class: 'problem soft' }, texts.acting)] : []),
      ...(others.length > 0 ? [make('div', { class: 'lines list', part: 'list' }, ...others.map(this.#other))] : []),
      ...this.#element.problem(this.#connection.organizations.error),
      make('div', { class: 'lines' }, ...this.#links(active)),
    )
  }

  #who({ name, details, picture }: Place): Node {
    const { make } = this.#kit
    return make('div', { class: 'who' }, picture('large'), this.#named(name, details))
  }

  #named(name: string, details: string): Node {
    const { make } = this.#kit
    return make(
      'div',
      { class: 'two' },
      make('bdi', { class: 'name', title: name }, name),
      make('bdi', { class: 'soft' }, details),
    )
  }

  readonly #other = ({ id, name, details, suspended, picture }: Place): Node => {
    const { make } = this.#kit
    const attributes = {
      ...{ class: 'line', part: 'organization', 'data-focus': `to-${id}` },
      ...(suspended && { disabled: '' }),
      click: () => void this.#switchTo(id),
    }
    return make('button', attributes, picture(), this.#named(name, details))
  }

  #switchTo(id: string | null): Promise<void> {
    return this.#element.attempt(async () => {
      await this.#connection.switchOrganization(id)
      this.#element.toggle(false)
    })
  }

  #links(active: Place | undefined): readonly Node[] {
    const { make, iconOf } = this.#kit
    const words = this.#words
    const page = `${this.#element.origin}/settings/organizations`
    const link = (href: string, icon: Parameters<typeof iconOf>[0], text: string) =>
      make('a', { class: 'line', part: 'link', href }, iconOf(icon), text)
    return [
      ...(active && active.id !== null ? [link(`${page}/${active.id}`, 'organization', words.manage)] : []),
      link(page, 'inbox', words.all),
      ...(this.#connection.organizations.value?.canCreate ? [link(`${page}?open=new`, 'plus', words.create)] : []),
    ]
  }
}
