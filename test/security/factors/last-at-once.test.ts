import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { openPatiently, whileUserIsHeld } from '../../postgres/held-user.ts'
import { enableProvider, linkVia } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { addApp } from '../../service/devices/factors.ts'
import { addPasskey, SecurityKey, showPasskey } from '../../service/devices/security-key.ts'
import { Person, people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

async function world() {
  const stack = new AsyncDisposableStack()
  const forum = stack.use(await startPlainProvider('community', { '/api/user': { id: 7, username: 'ann' } }))
  const service = stack.use(
    await startService({ env: { COMMUNITY_AUTH_URL: forum.url }, open: openPatiently }),
  )
  await enableProvider(service, 'community')
  const { ann } = await people(service)
  const key = new SecurityKey(service.config.baseUrl)
  const { meta } = service.platform
  const rows = async (table: 'account' | 'passkey' | 'totp_factor' | 'backup_code') => {
    const found = await meta.primary.selectFrom(table).select('user_id').execute()
    return found.filter(({ user_id }) => user_id === ann.id).length
  }
  return { service, ann, key, rows, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

function unlink(person: Person, providerId: string) {
  return async () => (await person.post('/api/auth/unlink-account', { providerId })).status
}

async function remove(person: Person, at: number) {
  const { body } = await person.get('/api/auth/passkey/list-user-passkeys')
  const { id } = body[at]
  return async () => (await person.post('/api/auth/passkey/delete-passkey', { id })).status
}

describe('the last two sign-in methods, removed at once', () => {
  it('are a password and a provider: one of them stays', async () => {
    await using w = await world()
    await linkVia(w.ann, 'community')

    const acts = [unlink(w.ann, 'credential'), unlink(w.ann, 'community')]
    const answers = await whileUserIsHeld(w.service, w.ann.id, acts)

    assert.deepEqual(answers.toSorted(), [200, 400])
    assert.equal(await w.rows('account'), 1)
  })

  it('are a password and a passkey: one of them stays', async () => {
    await using w = await world()
    await addPasskey(w.ann, w.key)

    const acts = [unlink(w.ann, 'credential'), await remove(w.ann, 0)]
    const answers = await whileUserIsHeld(w.service, w.ann.id, acts)

    assert.deepEqual(answers.toSorted(), [200, 400])
    assert.equal((await w.rows('account')) + (await w.rows('passkey')), 1)
  })

  it('are two passkeys: one of them stays, and signs in', async () => {
    await using w = await world()
    const other = new SecurityKey(w.service.config.baseUrl)
    await addPasskey(w.ann, w.key)
    await addPasskey(w.ann, other)
    await unlink(w.ann, 'credential')()

    const answers = await whileUserIsHeld(w.service, w.ann.id, [
      await remove(w.ann, 0),
      await remove(w.ann, 1),
    ])

    const elsewhere = () => new Person(w.service, w.ann.email, w.ann.password)
    const shown = [await showPasskey(elsewhere(), w.key), await showPasskey(elsewhere(), other)]
    assert.deepEqual(answers.toSorted(), [200, 400])
    assert.deepEqual(shown.map(({ status }) => status === 200).toSorted(), [false, true])
  })
})

describe('the last two factors, removed at once', () => {
  it('leave neither a backup code nor twoFactorEnabled behind', async () => {
    await using w = await world()
    await addApp(w.service, w.ann)
    await addPasskey(w.ann, w.key)
    const { password } = w.ann
    const disable = async () => (await w.ann.post('/api/auth/two-factor/disable', { password })).status

    const answers = await whileUserIsHeld(w.service, w.ann.id, [disable, await remove(w.ann, 0)])

    const { body } = await w.ann.get('/api/auth/get-session')
    const left = [await w.rows('totp_factor'), await w.rows('passkey'), await w.rows('backup_code')]
    assert.deepEqual([answers, left, body.user.twoFactorEnabled], [[200, 200], [0, 0, 0], false])
  })

  it('leave no backup codes behind that were created at the same moment', async () => {
    await using w = await world()
    await addApp(w.service, w.ann)
    const { password } = w.ann
    const post = (path: string) => async () => (await w.ann.post(path, { password })).status

    const [disabled, renewed] = await whileUserIsHeld(w.service, w.ann.id, [
      post('/api/auth/two-factor/disable'),
      post('/api/auth/two-factor/generate-backup-codes'),
    ])

    assert.equal(disabled, 200)
    assert.ok([200, 401].includes(renewed ?? 0), String(renewed))
    assert.equal(await w.rows('backup_code'), 0)
  })
})
