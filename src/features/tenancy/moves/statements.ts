import { sql } from 'kysely'
import { integer } from '../../../database/sql/integer.ts'
import type { Meta } from '../../../database/store.ts'
import { assignmentOf } from '../shards/statements.ts'

/**
 * A numbered order to erase the user's rows in the shard, repeated until done. After `lockAssignment`, which
 * locks what it reads.
 */
export function insertErasure(meta: Meta, userId: string, erasure: NewErasure) {
  return meta
    .insertInto('erasure')
    .columns(['id', 'user_id', 'shard_id', 'requested_by', 'created_at', 'attempts'])
    .expression(
      assignmentOf(meta, userId).select([
        sql.val(erasure.id).as('id'),
        'user_id',
        'shard_id',
        sql.val(erasure.requestedBy).as('requested_by'),
        integer(erasure.createdAt).as('created_at'),
        sql.lit(0).as('attempts'),
      ]),
    )
}

interface NewErasure {
  readonly id: string
  readonly requestedBy: string
  readonly createdAt: number
}
