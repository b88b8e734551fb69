import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Where one request stands in the history of each store. Features never see it: `http/bookmark.ts`
 * opens it, the drivers read it and note how far they got.
 */
export class Place {
  readonly #asked: ReadonlyMap<string, string>
  readonly #reached = new Map<string, () => Promise<string | undefined>>()
  #shard: string | undefined

  constructor(bookmark: string) {
    this.#asked = parseBookmark(bookmark)
  }

  /** The position this request must see, if it brought one for this store. */
  asked(store: string): string | undefined {
    return this.#asked.get(store)
  }

  /** A driver says where the store stood when it served this request; asked once, at the end. */
  reached(store: string, position: () => Promise<string | undefined>): void {
    this.#reached.set(store, position)
  }

  /** The bookmark covers the global store and this one shard. */
  ownShard(shard: string): void {
    this.#shard = shard
  }

  async next(): Promise<string> {
    const stores = ['meta', this.#shard].filter((store) => store !== undefined)
    const positions = await Promise.all(stores.map((store) => this.#positionOf(store)))
    const parts = stores.flatMap((store, i) => (positions[i] ? [`${store}=${positions[i]}`] : []))
    const carried = this.#shard === undefined ? [...this.#asked].filter(([store]) => store !== 'meta') : []
    return (
      [...parts, ...carried.map(([store, position]) => `${store}=${position}`)].join('~') || FIRST_PRIMARY
    )
  }

  #positionOf(store: string): Promise<string | undefined> | string | undefined {
    return this.#reached.get(store)?.() ?? this.#asked.get(store)
  }
}

export const FIRST_PRIMARY = 'first-primary'

const PART = /^([a-z0-9-]{1,64})=([0-9A-Za-z./-]{1,64})$/

/** Anything but our own form is an empty map: nothing known, so the primary answers. */
function parseBookmark(bookmark: string): ReadonlyMap<string, string> {
  const parts = bookmark.split('~', 3).map((part) => PART.exec(part))
  const known = parts.flatMap((match) => (match?.[1] && match[2] ? [[match[1], match[2]] as const] : []))
  return known.length === parts.length && known.length <= 2 ? new Map(known) : new Map()
}

const places = new AsyncLocalStorage<Place>()

export function currentPlace(): Place | undefined {
  return places.getStore()
}

export function inPlace<T>(place: Place, work: () => Promise<T>): Promise<T> {
  return places.run(place, work)
}
