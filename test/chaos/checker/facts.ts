import type { Deed, Entry } from '../history.ts'

export interface Violation {
  /** The promise. */
  readonly rule: string
  /** The names whose history shows it. */
  readonly about: readonly string[]
  readonly words: string
  readonly entries: readonly Entry[]
}

type Kind = Deed['kind']
/** One entry of a kind. */
export type Fact<K extends Kind> = Entry & { readonly deed: Extract<Deed, { kind: K }> }

const READS: ReadonlySet<Kind> = new Set([
  'use-session',
  'use-grant',
  'use-acting',
  'list-feedback',
  'credits',
  'credit-entries',
  'list-codes',
  'list-notifications',
  'count-unread',
  'read-settings',
  'find-user',
  'list-audit',
])

/** A history, as far as promises hold for it: what a lossy promotion may have taken is not one of them. */
export class Facts {
  readonly all: readonly Entry[]
  /** Reads that met a lossy promotion are left out. */
  readonly #byKind: ReadonlyMap<Kind, readonly Entry[]>

  constructor(entries: readonly Entry[]) {
    this.all = entries
    const lossy = entries.filter(({ deed }) => deed.kind === 'lossy')
    const meets = (entry: Entry) => lossy.some((loss) => entry.ended > loss.begun && entry.begun < loss.ended)
    const kept = entries.flatMap((entry) => {
      if (!meets(entry) || entry.outcome === 'refused') return [entry]
      if (READS.has(entry.deed.kind)) return []
      if (entry.outcome === 'unknown') return [entry]
      const over = Math.max(...lossy.filter((loss) => entry.begun < loss.ended).map(({ ended }) => ended))
      return [{ ...entry, outcome: 'unknown' as const, ended: over }]
    })
    this.#byKind = Map.groupBy(kept, ({ deed }) => deed.kind)
  }

  /** All acts of the kind that may have been done. */
  of<K extends Kind>(kind: K): readonly Fact<K>[] {
    return this.#entriesOf(kind).filter(({ outcome }) => outcome !== 'refused')
  }

  done<K extends Kind>(kind: K): readonly Fact<K>[] {
    return this.#entriesOf(kind).filter(({ outcome }) => outcome === 'done')
  }

  refused<K extends Kind>(kind: K): readonly Fact<K>[] {
    return this.#entriesOf(kind).filter(({ outcome }) => outcome === 'refused')
  }

  #entriesOf<K extends Kind>(kind: K): readonly Fact<K>[] {
    // The entries are grouped by kind.
    return (this.#byKind.get(kind) ?? []) as readonly Fact<K>[]
  }
}

/** True if the first was over before the second began. */
export function isBefore(a: Entry, b: Entry): boolean {
  return a.ended < b.begun
}

/** True if the first may have had an effect by the time the second was over. */
export function mayPrecede(a: Entry, b: Entry): boolean {
  return a.outcome !== 'refused' && a.begun < b.ended
}

/** True for a request without a bookmark, sent while nobody acted. */
export function isQuiet({ chain }: Entry): boolean {
  return chain.startsWith('#')
}

export function violation(rule: string, about: readonly string[], words: string, ...entries: Entry[]): Violation {
  return { rule, about, words, entries }
}
