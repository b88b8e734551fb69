import type { ProductScopeTable } from '../../../database/schema/products/applications.ts'
import type { Meta } from '../../../database/store.ts'
import type { Platform } from '../../../platform/platform.ts'
import { isProductScope } from '../../../rules/scopes.ts'
import {
  differenceOf,
  type Planned,
  type Rest,
  refused,
  refuseRepeated,
} from '../../ground/settings/as-code/section.ts'
import { type DeclaredScope, MOST_SCOPES, NO_ROOM, recordDeclaration, writeDeletion } from './product-scopes.ts'
import * as store from './store.ts'

export function storedScopes(meta: Meta) {
  return { lock: store.lockScopes(meta), read: store.allScopes(meta) }
}

export function scopesAsFile(rows: readonly ProductScopeTable[]): readonly DeclaredScope[] {
  return rows.flatMap(({ scope, description }) => (isProductScope(scope) ? [{ scope, description }] : []))
}

interface Wanted {
  readonly rows: readonly ProductScopeTable[]
  /** Undefined if the file has no such section. */
  readonly entries: readonly DeclaredScope[] | undefined
  readonly rest: Rest
  /** Those that an application has, which stay. */
  readonly used: ReadonlySet<string>
}

export function planScopes({ meta, now }: Platform, { rows, entries, rest, used }: Wanted): Planned {
  const listed = entries ?? []
  const names: readonly string[] = listed.map(({ scope }) => scope)
  refuseRepeated('product_scopes', names)
  const stored = new Map(rows.map(({ scope, description }) => [scope, description]))
  const changed = listed.filter(({ scope, description }) => stored.get(scope) !== description)
  const isPruned = ({ scope }: ProductScopeTable) => !names.includes(scope) && !used.has(scope)
  const pruned = rest === 'pruned' && entries ? rows.filter(isPruned) : []
  if (stored.size + changed.filter(({ scope }) => !stored.has(scope)).length - pruned.length > MOST_SCOPES)
    throw refused('product_scopes', NO_ROOM)
  return {
    differences: [
      ...changed.map(({ scope, description }) => {
        const former = stored.get(scope)
        const path = `product_scopes.${scope}`
        if (former === undefined) return { path, words: `is declared: ${JSON.stringify(description)}` }
        return differenceOf(`${path}.description`, former, description)
      }),
      ...pruned.map(({ scope }) => ({ path: `product_scopes.${scope}`, words: 'is deleted' })),
    ],
    secrets: {},
    write(act) {
      for (const { scope, description } of changed) {
        act.write(
          stored.has(scope)
            ? store.describeScope(meta, scope, description)
            : store.declareScope(meta, scope, description, now()),
        )
        recordDeclaration(act, scope, description)
      }
      for (const { scope } of pruned) writeDeletion(act, meta, scope)
    },
  }
}
