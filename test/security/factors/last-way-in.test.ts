import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { enableProvider, linkVia, signInVia } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { addPasskey, SecurityKey, showPasskey } from '../../service/devices/security-key.ts'
import { type Person, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const LAST = [400, 'FAILED_TO_UNLINK_LAST_ACCOUNT']

/** Ann came by the community, and has neither a password nor an address that is verified. */
async function world() {
  const stack = new AsyncDisposableStack()
  const forum = stack.use(await startPlainProvider('community', { '/api/user': { id: 7, username: 'ann' } }))
  const service = stack.use(await startService({ env: { COMMUNITY_AUTH_URL: forum.url } }))
  await enableProvider(service, 'community')
  const ann = stranger(service, 'ann@example.com')
  await signInVia(ann, 'community')
  const key = new SecurityKey(service.config.baseUrl)
  const elsewhere = () => stranger(service)
  return { service, ann, key, elsewhere, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function unlink(ann: Person) {
  const { status, body } = await ann.post('/api/auth/unlink-account', { providerId: 'community' })
  return [status, body.code]
}

async function remove(ann: Person, at = 0) {
  const { body: passkeys } = await ann.get('/api/auth/passkey/list-user-passkeys')
  const { status, body } = await ann.post('/api/auth/passkey/delete-passkey', { id: passkeys[at].id })
  return [status, body.code]
}

describe('the last sign-in method', () => {
  it('is a passkey once the provider is unlinked: it signs in, and cannot be removed', async () => {
    await using w = await world()
    const before = await unlink(w.ann)
    await addPasskey(w.ann, w.key)

    const after = await unlink(w.ann)
    const removed = await remove(w.ann)

    assert.deepEqual([before, after, removed], [LAST, [200, undefined], LAST])
    assert.equal((await showPasskey(w.elsewhere(), w.key)).status, 200)
  })

  it('is not a passkey that does not check who its user is, until it does', async () => {
    await using w = await world()
    await addPasskey(w.ann, w.key, { isUserVerified: false })

    const unchecked = await unlink(w.ann)
    await showPasskey(w.elsewhere(), w.key)
    const checked = await unlink(w.ann)

    assert.deepEqual([unchecked, checked], [LAST, [200, undefined]])
  })

  it('is not a passkey that would ask for a verified address first', async () => {
    await using w = await world()
    await changeSettings(w.service, 'email', { provider: 'smtp' })
    await addPasskey(w.ann, w.key)
    await changeSettings(w.service, 'authentication', { email_verification_required: true })

    assert.deepEqual(await unlink(w.ann), LAST)
    assert.equal((await showPasskey(w.elsewhere(), w.key)).status, 200)
  })

  it('is the passkey if the provider has been switched off, or if the other key does not check who its user is', async () => {
    await using w = await world()
    await addPasskey(w.ann, w.key)
    await addPasskey(w.ann, new SecurityKey(w.service.config.baseUrl), { isUserVerified: false })
    await changeSettings(w.service, 'authentication', {
      community: { enabled: false, client_id: '', client_secret: '' },
    })

    const alone = await remove(w.ann)
    const other = await remove(w.ann, 1)
    await enableProvider(w.service, 'community')
    const beside = await remove(w.ann)

    assert.deepEqual([alone, other, beside], [LAST, [200, undefined], [200, undefined]])
  })

  it('stays, of a provider and a passkey that are removed at once', async () => {
    await using w = await world()
    await addPasskey(w.ann, w.key)

    const answers = await Promise.all([unlink(w.ann), remove(w.ann)])

    assert.deepEqual(answers.map(([status]) => status).toSorted(), [200, 400])
    const landed = answers[0]?.[0] === 200 ? undefined : await signInVia(w.elsewhere(), 'community')
    const shown = await showPasskey(w.elsewhere(), w.key)
    assert.equal(landed === '/' || shown.status === 200, true)
  })

  it('can be replaced: a provider is linked, and the passkey goes', async () => {
    await using w = await world()
    await addPasskey(w.ann, w.key)
    await unlink(w.ann)

    await linkVia(w.ann, 'community')

    assert.deepEqual(await remove(w.ann), [200, undefined])
  })
})
