/**
 * How far one request has read in the history of each store. Features never see it: `http/answers/bookmark.ts` opens
 * it, and the drivers read it and record their positions.
 */
export class ReadPosition {
  #asked: ReadonlyMap<string, string>
  readonly #reads = new Map<string, StoreReads>()
  #shard: string | undefined

  constructor(bookmark: string) {
    this.#asked = parseBookmark(bookmark)
  }

  /** The position this request must see, if it brought one for this store. */
  asked(store: string): string | undefined {
    return this.#asked.get(store)
  }

  /** Makes the request read from the primary. Call it before the first read. */
  askForNewest(): void {
    this.#asked = NOTHING_KNOWN
  }

  /** Undefined before this request's first read of the store. */
  readsOf(store: string): StoreReads | undefined {
    return this.#reads.get(store)
  }

  noteReads(store: string, reads: StoreReads): void {
    this.#reads.set(store, reads)
  }

  /**
   * The bookmark covers the global store and this one shard: parts about others are dropped, and without a part the
   * primary is read.
   */
  ownShard(shard: string): void {
    this.#shard = shard
  }

  async next(): Promise<string> {
    const meta = await this.#positionOf('meta')
    if (this.#shard === undefined) return part('meta', meta) ?? FIRST_PRIMARY
    const parts = [part('meta', meta), part(this.#shard, await this.#positionOf(this.#shard))]
    return parts.filter((text) => text !== undefined).join('~') || FIRST_PRIMARY
  }

  #positionOf(store: string): Promise<Position> {
    return this.#reads.get(store)?.position() ?? Promise.resolve(this.#asked.get(store))
  }
}

type Position = string | undefined

/** One request's reads of one store, as its driver records them. */
export interface StoreReads {
  /** The positions reached; called once, at the end of the request. */
  position(): Promise<Position>
}

function part(store: string | undefined, position: Position): string | undefined {
  return position === undefined ? undefined : `${store}=${position}`
}

export const FIRST_PRIMARY = 'first-primary'

const NOTHING_KNOWN: ReadonlyMap<string, string> = new Map()
/** The engine's own format, SQLite's or PostgreSQL's. */
const POSITION = '[0-9]{1,16}[.][0-9]{1,16}|[1-9][0-9]{0,8}-[0-9A-F]{1,8}/[0-9A-F]{1,8}r?'
const PART = `([a-z0-9-]{1,64})=(${POSITION})`
const BOOKMARK = new RegExp(`^${PART}(?:~${PART})?$`)

/** Any text but our own form gives an empty map: nothing is known, so the primary is read. */
function parseBookmark(bookmark: string): ReadonlyMap<string, string> {
  if (bookmark === FIRST_PRIMARY) return NOTHING_KNOWN
  const [, store, position, other, otherPosition] = BOOKMARK.exec(bookmark) ?? []
  if (!store || !position) return NOTHING_KNOWN
  const known = new Map([[store, position]])
  return other && otherPosition ? known.set(other, otherPosition) : known
}
