import { CompiledQuery } from 'kysely'
import type { Handle } from '../../src/database/sqlite/handle.ts'
import { verifyShards } from '../../src/features/tenancy/moves/verifying/verifying.ts'
import type { Platform } from '../../src/platform/platform.ts'

interface Handles {
  readonly meta: Handle
  readonly shards: readonly Handle[]
}

/** All that verifying reads of the global store. */
const READ = ['shards', 'user_shards', 'shard_moves', 'erasure'].map((table) =>
  CompiledQuery.raw(`select * from ${table}`),
)

/** The findings of `shards verify`; it verifies again only if something that it reads has changed. */
export class Verified {
  readonly #platform: Platform
  readonly #handles: Handles
  /** Valid as long as no shard has changed, by the rows of the global store. */
  readonly #known = new Map<string, readonly string[]>()
  #changes = 0

  constructor(platform: Platform, handles: Handles) {
    this.#platform = platform
    this.#handles = handles
  }

  /** Marks the moment to which the stores will go back. */
  keep(): void {
    this.#known.clear()
  }

  /** Call it when the stores have gone back to that moment. */
  rewind(): void {
    this.#changes = this.#changesOfShards()
  }

  async disagreements(): Promise<readonly string[]> {
    if (this.#changesOfShards() !== this.#changes) return disagreementsOf(this.#platform)
    const rows = this.#rowsOfMeta()
    const known = this.#known.get(rows)
    if (known) return known
    const found = await disagreementsOf(this.#platform)
    this.#known.set(rows, found)
    return found
  }

  /** Grows with each row written, and never shrinks, even after a rollback. */
  #changesOfShards(): number {
    const counts = this.#handles.shards.flatMap((handle) => handle.run(CHANGES).rows)
    return (counts as readonly { readonly changes: number }[]).reduce((sum, { changes }) => sum + changes, 0)
  }

  #rowsOfMeta(): string {
    return JSON.stringify(READ.map((query) => this.#handles.meta.run(query).rows))
  }
}

const CHANGES = CompiledQuery.raw('select total_changes() as changes')

export async function disagreementsOf(platform: Platform): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { words } of verifyShards(platform)) found.push(words)
  return found
}
