import { type CompiledQuery, RawNode, SelectQueryNode } from 'kysely'

/** The one definition of a read. Only a plain select can be sent to a replica; `with` can hide a write. */
export function isRead({ query, sql }: CompiledQuery): boolean {
  if (SelectQueryNode.is(query)) return query.with === undefined && !query.endModifiers?.length
  return RawNode.is(query) && /^\s*(select|pragma)\b/i.test(sql)
}

export function refuseWrites(queries: readonly CompiledQuery[]): void {
  if (!queries.every(isRead)) throw new TypeError('a snapshot only reads')
}
