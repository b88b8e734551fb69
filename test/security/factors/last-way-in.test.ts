import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { enableProvider, linkVia, signInVia } from '../../providers/journey.ts'
import { refusal } from '../../service/answers.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { addPasskey, showPasskey } from '../../service/devices/security-key.ts'
import { type Person, stranger } from '../../service/people.ts'
import { WITH_MAIL } from '../../service/with-mail.ts'
import { it as inHouse } from '../support/house.ts'

const LAST = [400, 'FAILED_TO_UNLINK_LAST_ACCOUNT']
const DONE = [200, undefined]

/** Ann came by the community, and has neither a password nor an address that is verified. */
const it = inHouse.extend('settings', {}).extend('ann', async ({ service }) => {
  const ann = stranger(service, 'ann@example.com')
  await signInVia(ann, 'community')
  return ann
})

async function unlink(ann: Person) {
  return refusal(await ann.post('/api/auth/unlink-account', { providerId: 'community' }))
}

async function remove(ann: Person, at = 0) {
  const { body: passkeys } = await ann.get('/api/auth/passkey/list-user-passkeys')
  return refusal(await ann.post('/api/auth/passkey/delete-passkey', { id: passkeys[at].id }))
}

describe('the last sign-in method', () => {
  it('is a passkey once the provider is unlinked, and cannot be removed', async ({ service, ann, key }) => {
    const before = await unlink(ann)
    await addPasskey(ann, key)

    assert.deepEqual([before, await unlink(ann), await remove(ann)], [LAST, DONE, LAST])
    assert.equal((await showPasskey(stranger(service), key)).status, 200)
  })

  it('is not a passkey that does not check who its user is, until it does', async ({ service, ann, key }) => {
    await addPasskey(ann, key, { isUserVerified: false })

    const unchecked = await unlink(ann)
    await showPasskey(stranger(service), key)

    assert.deepEqual([unchecked, await unlink(ann)], [LAST, DONE])
  })

  it('is not a passkey that would ask for a verified address first', async ({ service, ann, key }) => {
    await changeSettings(service, 'email', WITH_MAIL.email)
    await addPasskey(ann, key)
    await changeSettings(service, 'authentication', { email_verification_required: true })

    assert.deepEqual(await unlink(ann), LAST)
    assert.equal((await showPasskey(stranger(service), key)).status, 200)
  })

  it('is the passkey if the provider is off, or the other key is weak', async ({ service, ann, key, newKey }) => {
    await addPasskey(ann, key)
    await addPasskey(ann, newKey(), { isUserVerified: false })
    await changeSettings(service, 'authentication', {
      community: { enabled: false, client_id: '', client_secret: '' },
    })

    const alone = await remove(ann)
    const other = await remove(ann, 1)
    await enableProvider(service, 'community')

    assert.deepEqual([alone, other, await remove(ann)], [LAST, DONE, DONE])
  })

  it('can be replaced: a provider is linked, and the passkey goes', async ({ ann, key }) => {
    await addPasskey(ann, key)
    await unlink(ann)

    await linkVia(ann, 'community')

    assert.deepEqual(await remove(ann), DONE)
  })
})
