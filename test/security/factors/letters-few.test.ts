import assert from 'node:assert/strict'
import type { Change } from '../../../src/features/mail/notices/changes.ts'
import { WORDS } from '../../../src/features/mail/notices/words.ts'
import { enableProvider, linkVia } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { describe, it } from '../../running/node-test.ts'
import { basic, codeFor, register, tokensFor } from '../../service/applications.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { addApp } from '../../service/devices/factors.ts'
import { addPasskey, SecurityKey } from '../../service/devices/security-key.ts'
import { decideDevice, postForm } from '../../service/grants.ts'
import { Person, people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const MORE = 'openid profile email product:orders:read'

async function world() {
  const stack = new AsyncDisposableStack()
  const forum = stack.use(await startPlainProvider('community', { '/api/user': { id: 7, username: 'ann' } }))
  const service = stack.use(await startService({ env: { COMMUNITY_AUTH_URL: forum.url } }))
  await changeSettings(service, 'email', { provider: 'smtp' })
  await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 0 })
  await enableProvider(service, 'community')
  const { administrator, ann } = await people(service)
  const browser = () => new Person(service, ann.email, ann.password)
  const prove = async (where: Person) => {
    const { email } = ann
    await where.post('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' })
    const otp = await service.mail.codeFor(email)
    return where.post('/api/auth/email-otp/verify-email', { email, otp })
  }
  const about = async (change: Change) => {
    const letters = await service.mail.sentTo(ann.email)
    return letters.filter(({ subject }) => subject.startsWith(WORDS.en.changes[change].subject))
  }
  const more = { service, administrator, ann, browser, prove, about }
  return { ...more, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

describe('a letter about an application', () => {
  it('comes with the first consent and names the application; again only if it gets more', async () => {
    await using w = await world()
    const scope = { scope: 'product:orders:read', description: 'Read orders' }
    await w.administrator.post('/api/admin/declare_product_scope', scope)
    const shop = await register(w.administrator, { scopes: MORE.split(' ') })

    const counts: number[] = []
    for (const changes of [{}, {}, { prompt: 'consent' }, { scope: MORE }, { scope: MORE }]) {
      await codeFor(w.ann, shop, changes)
      counts.push((await w.about('application connected')).length)
    }

    assert.deepEqual(counts, [1, 1, 1, 2, 2])
    assert.match((await w.about('application connected'))[0]?.text ?? '', /Name: Shop; When:/)
  })

  it('comes with each device that is approved', async () => {
    await using w = await world()
    const shop = await register(w.administrator)
    await tokensFor(w.ann, shop)

    const asked = { scope: 'openid profile email' }
    const { body } = await postForm(w.ann, '/api/oauth/device_authorization', asked, basic(shop))
    const decided = await decideDevice(w.ann, body.user_code, true)

    assert.equal(decided.status, 200)
    assert.equal((await w.about('application connected')).length, 2)
  })

  it('does not come for one of the operator that needs no consent', async () => {
    await using w = await world()
    const shop = await register(w.administrator, { skip_consent: true })

    await tokensFor(w.ann, shop)

    assert.deepEqual(await w.about('application connected'), [])
  })
})

describe('a letter about the first proof of an address', () => {
  it('comes once, if another browser ends what was set up before', async () => {
    await using w = await world()
    await addApp(w.service, w.ann)
    await addPasskey(w.ann, new SecurityKey(w.service.config.baseUrl))
    await linkVia(w.ann, 'community')
    const other = w.browser()

    await w.prove(other)
    const factors = await w.service.platform.meta.primary
      .selectFrom('user')
      .select('factors')
      .where('email', '=', w.ann.email)
      .executeTakeFirst()
    await w.prove(w.browser())

    assert.deepEqual(factors, { factors: '' })
    assert.equal((await w.about('verified in another browser')).length, 1)
  })

  it('does not come for the browser that signed up', async () => {
    await using w = await world()

    await w.prove(w.ann)

    assert.deepEqual(await w.about('verified in another browser'), [])
  })
})

describe('a letter about other devices', () => {
  it("comes if they are signed out together, and not about the user's own sign-out", async () => {
    await using w = await world()
    const own = w.browser()
    await own.signIn()
    const { body } = await own.get('/api/auth/list-sessions')
    const current = body.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent)

    await own.post('/api/auth/revoke-session', { token: current.token })
    const afterOwn = await w.about('signed out elsewhere')
    await w.browser().signIn()
    await w.ann.post('/api/auth/revoke-other-sessions')

    assert.deepEqual(afterOwn, [])
    assert.equal((await w.about('signed out elsewhere')).length, 1)
  })
})
