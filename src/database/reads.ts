import { type CompiledQuery, RawNode, SelectQueryNode } from 'kysely'

/** Only a plain select may leave the primary; `with` may hide a write. */
export function isRead({ query, sql }: CompiledQuery): boolean {
  if (SelectQueryNode.is(query)) return query.with === undefined && !query.endModifiers?.length
  return RawNode.is(query) && /^\s*(select|pragma)\b/i.test(sql)
}

export function refuseWrites(queries: readonly CompiledQuery[]): void {
  if (!queries.every(isRead)) throw new TypeError('a snapshot only reads')
}
