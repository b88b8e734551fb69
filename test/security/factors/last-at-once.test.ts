import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { openPatiently, whileUserIsHeld } from '../../postgres/held-user.ts'
import { linkVia, signInVia, whoIs } from '../../providers/journey.ts'
import { statuses } from '../../service/answers.ts'
import { addPasskey, type SecurityKey, showPasskey } from '../../service/devices/security-key.ts'
import { type Person, stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { it } from '../support/house.ts'

const unlink = (person: Person, providerId: string) => () => person.post('/api/auth/unlink-account', { providerId })

async function remove(person: Person, at: number) {
  const { body } = await person.get('/api/auth/passkey/list-user-passkeys')
  const { id } = body[at]
  return () => person.post('/api/auth/passkey/delete-passkey', { id })
}

async function rowsOf({ platform }: Service, table: 'account' | 'passkey' | 'totp_factor' | 'backup_code') {
  return (await platform.meta.primary.selectFrom(table).select('user_id').execute()).map(({ user_id }) => user_id)
}

type Prepare = (ann: Person, key: SecurityKey, other: SecurityKey) => Promise<ReturnType<typeof unlink>[]>

const PAIRS: Readonly<Record<string, Prepare>> = {
  'a password and a provider': async (ann) => {
    await linkVia(ann, 'community')
    return [unlink(ann, 'credential'), unlink(ann, 'community')]
  },
  'a password and a passkey': async (ann, key) => {
    await addPasskey(ann, key)
    return [unlink(ann, 'credential'), await remove(ann, 0)]
  },
  'a provider and a passkey': async (ann, key) => {
    await linkVia(ann, 'community')
    await addPasskey(ann, key)
    await unlink(ann, 'credential')()
    return [unlink(ann, 'community'), await remove(ann, 0)]
  },
  'two passkeys': async (ann, key, other) => {
    await addPasskey(ann, key)
    await addPasskey(ann, other)
    await unlink(ann, 'credential')()
    return [await remove(ann, 0), await remove(ann, 1)]
  },
}

describe('the last two sign-in methods, removed at once', () => {
  it.override('more', { open: openPatiently })
  it.override('settings', {})

  it.for(Object.entries(PAIRS))(
    'are %s: one of them stays, and signs in',
    async ([, prepare], { service, ann, key, newKey, browser }) => {
      const other = newKey()
      const acts = await prepare(ann, key, other)

      const answers = await whileUserIsHeld(service, ann.id, acts)

      const left = [...(await rowsOf(service, 'account')), ...(await rowsOf(service, 'passkey'))]
      assert.deepEqual(statuses(answers).toSorted(), [200, 400])
      assert.equal(left.filter((id) => id === ann.id).length, 1)
      const [byPassword, byKey, byOther, byProvider] = [browser(), browser(), browser(), stranger(service)]
      await byPassword.signIn()
      await showPasskey(byKey, key)
      await showPasskey(byOther, other)
      await signInVia(byProvider, 'community')
      const users = await Promise.all([byPassword, byKey, byOther, byProvider].map(whoIs))
      assert.equal(users.filter((user) => user?.id === ann.id).length, 1)
    },
  )
})

describe('the last two factors, removed at once', () => {
  it.override('more', { open: openPatiently })

  it('leave neither a backup code nor twoFactorEnabled behind', async ({ service, ann, app: _, key }) => {
    await addPasskey(ann, key)
    const { password } = ann
    const disable = () => ann.post('/api/auth/two-factor/disable', { password })

    const answers = await whileUserIsHeld(service, ann.id, [disable, await remove(ann, 0)])

    assert.deepEqual(statuses(answers), [200, 200])
    for (const table of ['totp_factor', 'passkey', 'backup_code'] as const)
      assert.deepEqual(await rowsOf(service, table), [])
    assert.equal((await whoIs(ann)).twoFactorEnabled, false)
  })

  it('leave no backup codes of the same moment behind', async ({ service, ann, app: _ }) => {
    const { password } = ann
    const post = (path: string) => async () => (await ann.post(path, { password })).status

    const [disabled, renewed] = await whileUserIsHeld(service, ann.id, [
      post('/api/auth/two-factor/disable'),
      post('/api/auth/two-factor/generate-backup-codes'),
    ])

    assert.equal(disabled, 200)
    assert.ok([200, 400].includes(renewed ?? 0), String(renewed))
    assert.deepEqual(await rowsOf(service, 'backup_code'), [])
  })
})
