import type { Db } from '../migrate.ts'

/** What asked for an approval. Without scopes, an older program wrote it: all those of the grant. */
export function approvalAsker({ schema }: Db) {
  const add = (name: string) => schema.alterTable('approval').addColumn(name, 'text')
  return [add('scopes'), add('token_hash'), add('actor_id')]
}
