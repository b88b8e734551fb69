import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { it } from 'vitest'
import { oldStore } from '../../../test/service/stores/old-store.ts'
import { metaMigrations } from './meta.ts'
import { migrate } from './migrate.ts'

it('the upgrade to several codes for an address keeps the invitations that are pending, and no address beside', async () => {
  await using store = await oldStore('0028-notification-counts-filled')
  const { meta } = store
  for (const purpose of ['invitation', 'password-reset']) {
    const row = sql`${purpose}, ${purpose}, 'dora@example.com', 'code', 'link', 1, 7`
    await sql`insert into verification
      (id, purpose, email, code_hash, link_hash, created_at, expires_at) values (${row})`.execute(meta)
  }

  await migrate(meta, metaMigrations, 1)

  const left = await sql`select * from verification`.execute(meta)
  assert.deepEqual(left.rows, [])
  assert.deepEqual(
    (await meta.primary.selectFrom('mailed_code').selectAll().execute()).map((row) => ({ ...row })),
    [
      {
        id: 'invitation',
        purpose: 'invitation',
        email: 'dora@example.com',
        asker: '',
        code_hash: '',
        link_hash: 'link',
        created_at: 1,
        code_expires_at: 7,
        link_expires_at: 7,
      },
    ],
  )
})
