import { avatarOf } from './avatar.ts'
import { GatehouseElement, make } from './element.ts'
import { iconOf } from './icons.ts'
import { own } from './own.ts'
import type { Switcher } from './switcher.ts'

/** Set by the build: the hash of the part that draws this element. */
declare const SWITCHER: string

/** Fetched once, and only by pages that have the element. */
let part: Promise<typeof import('./switcher.ts')> | undefined

/** Shows the organisation that the user acts in, and switches to another. */
export class GatehouseOrganization extends GatehouseElement {
  static override readonly observedAttributes = [...GatehouseElement.observedAttributes, 'hide-personal']

  #Switcher: typeof Switcher | undefined
  /** The last one that was active; undefined until it is known of this user. */
  #active: string | null | undefined

  override connectedCallback(): void {
    super.connectedCallback()
    void this.#load()
  }

  async #load(): Promise<void> {
    part ??= own.load(`?organization=${SWITCHER}`)
    this.#Switcher = (await part).Switcher
    this.draw()
  }

  protected override changed(): void {
    const { state, organizations } = this.connection
    organizations.follow()
    if (state.kind === 'out' || state.kind === 'unknown') {
      this.#active = undefined
      this.isOpen = false
    }
    if (state.kind !== 'in' || !organizations.value) return
    const { organizationId } = state
    const active = organizations.value.items.find(({ id }) => id === organizationId)
    if (organizationId !== null && !active) return
    if (this.#active !== undefined && this.#active !== organizationId) this.tell('organization', active)
    this.#active = organizationId
  }

  override toggle(isOpen: boolean): void {
    super.toggle(isOpen)
    if (isOpen) void this.connection.organizations.read()
  }

  protected content(): readonly Node[] {
    if (this.connection.state.kind === 'out') return []
    const drawn = this.#Switcher && new this.#Switcher(this, { make, iconOf, avatarOf }).content()
    return (
      drawn ?? [
        make(
          'span',
          { class: 'opener round named places', 'aria-busy': 'true' },
          make('span', { class: 'avatar square blank' }),
          make('span', { class: 'blank bar-of-text' }),
        ),
      ]
    )
  }
}
