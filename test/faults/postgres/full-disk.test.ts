import assert from 'node:assert/strict'
import { chownSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseError } from 'pg'
import { describe } from 'vitest'
import { PostgresEngine } from '../../../src/database/postgres/engine.ts'
import { Store, StoreReadOnly, StoreUnavailable } from '../../../src/database/store.ts'
import { command } from '../../postgres/databases.ts'
import { unprivilegedUser } from '../../postgres/user.ts'
import { COUNTER, onCluster, type Tables } from '../support/replicated.ts'
import { canMount, fill, freeBytes, mountSmallDisk, unmount } from '../support/small-disk.ts'

const it = onCluster({ replicas: 0 }).extend<{ small: Small }>({
  small: async ({ primary }, use) => {
    const disk = mountSmallDisk(32) ?? assert.fail()
    const { uid, gid } = unprivilegedUser()
    if (uid !== undefined && gid !== undefined) chownSync(disk, uid, gid)
    await command(primary.url(), `create tablespace small location '${disk}'`)
    await command(primary.url(), 'create database small tablespace small')
    await command(primary.url('small'), COUNTER)
    const store = new Store<Tables>(new PostgresEngine('apac-1', { url: primary.url('small') }))
    await use({ disk, store })
    await store.close()
    await command(primary.url(), 'drop database small')
    await command(primary.url(), 'drop tablespace small')
    unmount(disk)
  },
})

interface Small {
  readonly disk: string
  readonly store: Store<Tables>
}

const ROWS = Array.from({ length: 10_000 }, (_, id) => ({ id, value: id }))
const POLLERS = 6
const POLLS = 20

describe('a server whose disk is full', () => {
  it.skipIf(!canMount)(
    'is read-only for every check until a write finds room, also if nobody writes (needs root on Linux)',
    async ({ small: { disk, store } }) => {
      await store.examine()
      fill(disk, 'ballast', freeBytes(disk))
      await store.ping()
      await assert.rejects(store.examine(), StoreReadOnly)
      await assert.rejects(store.ping(), StoreReadOnly)
      rmSync(join(disk, 'ballast'))
      await store.ping()

      fill(disk, 'ballast', freeBytes(disk))
      await assert.rejects(store.insertInto('counter').values(ROWS).execute(), StoreUnavailable)
      await assert.rejects(store.ping(), StoreReadOnly)
      rmSync(join(disk, 'ballast'))
      await store.ping()
      await store.insertInto('counter').values(ROWS).execute()
    },
  )

  it.skipIf(!canMount)(
    'is read-only for each of several checks at once, which name the full disk (needs root on Linux)',
    async ({ small: { disk, store } }) => {
      fill(disk, 'ballast', freeBytes(disk))
      await assert.rejects(store.insertInto('counter').values(ROWS).execute(), StoreUnavailable)

      const poll = () =>
        store.ping().then(
          () => undefined,
          (error: unknown) => error,
        )
      const polling = Array.from({ length: POLLERS }, async () => {
        const found = []
        for (let i = 0; i < POLLS; i++) found.push(await poll())
        return found
      })

      for (const found of (await Promise.all(polling)).flat()) {
        assert.ok(found instanceof StoreReadOnly && found.cause instanceof DatabaseError)
        assert.equal(found.cause.code, '53100')
      }
    },
  )
})
