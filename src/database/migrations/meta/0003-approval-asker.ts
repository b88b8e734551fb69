import type { Db } from '../migrate.ts'

/** The token that asked for an approval. An older program wrote no scopes: use all of the grant's. */
export function approvalAsker({ schema }: Db) {
  const add = (name: string) => schema.alterTable('approval').addColumn(name, 'text')
  return [add('scopes'), add('token_hash'), add('actor_id')]
}
