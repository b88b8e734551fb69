import type { Db } from '../migrate.ts'

/** The token that asked for an approval. Null scopes come from an older version: then all scopes of the grant count. */
export function approvalAsker({ schema }: Db) {
  const add = (name: string) => schema.alterTable('approval').addColumn(name, 'text')
  return [add('scopes'), add('token_hash'), add('actor_id')]
}
