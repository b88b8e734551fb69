import assert from 'node:assert/strict'
import { chownSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { PostgresEngine } from '../../../src/database/postgres/engine.ts'
import { Store, StoreReadOnly, StoreUnavailable } from '../../../src/database/store.ts'
import { command } from '../../postgres/databases.ts'
import { unprivilegedUser } from '../../postgres/user.ts'
import { COUNTER, onCluster, type Tables } from '../support/replicated.ts'
import { canMount, fill, freeBytes, mountSmallDisk, unmount } from '../support/small-disk.ts'

const it = onCluster({ replicas: 0 })

describe('a server whose disk is full', () => {
  it.skipIf(!canMount)(
    'is read-only for every check until a write finds room, also if nobody writes (needs root on Linux)',
    async ({ primary }) => {
      const disk = mountSmallDisk(32) ?? assert.fail()
      const { uid, gid } = unprivilegedUser()
      if (uid !== undefined && gid !== undefined) chownSync(disk, uid, gid)
      await command(primary.url(), `create tablespace small location '${disk}'`)
      await command(primary.url(), 'create database small tablespace small')
      await command(primary.url('small'), COUNTER)
      const store = new Store<Tables>(new PostgresEngine('apac-1', { url: primary.url('small') }))

      await store.examine()
      fill(disk, 'ballast', freeBytes(disk))
      await store.ping()
      await assert.rejects(store.examine(), StoreReadOnly)
      await assert.rejects(store.ping(), StoreReadOnly)
      rmSync(join(disk, 'ballast'))
      await store.ping()

      fill(disk, 'ballast', freeBytes(disk))
      const rows = Array.from({ length: 10_000 }, (_, id) => ({ id, value: id }))
      await assert.rejects(store.insertInto('counter').values(rows).execute(), StoreUnavailable)
      await assert.rejects(store.ping(), StoreReadOnly)
      rmSync(join(disk, 'ballast'))
      await store.ping()
      await store.insertInto('counter').values(rows).execute()

      await store.close()
      await command(primary.url(), 'drop database small')
      await command(primary.url(), 'drop tablespace small')
      unmount(disk)
    },
  )
})
