import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { pbkdf2Passwords } from '../../../src/platform/passwords/passwords.ts'
import { openPatiently, whileHeld } from '../../postgres/held-user.ts'
import { accountsOf } from '../../providers/it.ts'
import { begin, beginLink, consent, enableProvider, land, linkVia, whoIs } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { addApp, verifyTotp } from '../../service/devices/factors.ts'
import { it as base } from '../../service/it.ts'
import { inNewBrowser } from '../../service/new-browser.ts'
import { type Person, people, stranger } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { NO_COOLDOWN } from '../../service/with-mail.ts'

interface World {
  readonly service: Service
  readonly administrator: Person
  readonly ann: Person
  /** Ann's password in another browser, and a browser of nobody. */
  readonly elsewhere: Person
  readonly carl: Person
  readonly save: (fields: object) => Promise<unknown>
  /** Saves once, after a password was hashed or a provider was asked for the profile. */
  readonly saveMeanwhile: (fields: object, part?: 'authentication' | 'ai') => void
  readonly users: () => Promise<number>
}

const it = base.extend<{ readonly w: World }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  w: async ({}, use) => {
    let meanwhile: (() => Promise<unknown>) | undefined
    const interrupted = async <T>(result: Promise<T>): Promise<T> => {
      const value = await result
      const act = meanwhile
      meanwhile = undefined
      await act?.()
      return value
    }
    await using forum = await startPlainProvider('community', { '/api/user': { id: 7, username: 'ann' } })
    forum.before = (path) => (path === '/api/user' ? interrupted(Promise.resolve()) : Promise.resolve())
    const real = pbkdf2Passwords({ iterations: 1, waitingAtMost: 100 })
    const passwords = {
      ...real,
      hash: (...given: Parameters<typeof real.hash>) => interrupted(real.hash(...given)),
      verify: (...given: Parameters<typeof real.verify>) => interrupted(real.verify(...given)),
    }
    await using service = await startService({
      env: { COMMUNITY_AUTH_URL: forum.url },
      ofEachProcess: () => ({ passwords }),
      open: openPatiently,
    })
    await changeSettings(service, 'email', { provider: 'smtp' })
    await changeSettings(service, 'authentication', NO_COOLDOWN)
    await enableProvider(service, 'community')
    const { administrator, ann } = await people(service)
    await use({
      service,
      administrator,
      ann,
      elsewhere: inNewBrowser(service, ann),
      carl: stranger(service),
      save: (fields) => administrator.saveSettings('authentication', { ...fields }),
      saveMeanwhile: (fields, part = 'authentication') => {
        meanwhile = () => administrator.saveSettings(part, { ...fields })
      },
      users: async () => (await administrator.post('/api/admin/list_users')).body.total,
    })
  },
})

const CLOSED = { registration_enabled: false }
const VERIFIED = { email_verification_required: true }
const NO_FORUM = { community_enabled: false }

describe('checklist 103: settings that are saved while a sign-up runs decide about it', () => {
  for (const [name, fields, refusal] of [
    ['registration is closed', CLOSED, 'REGISTRATION_DISABLED'],
    ['other domains are allowed', { email_signup_domain_allowlist: ['x.example'] }, 'EMAIL_DOMAIN_NOT_ALLOWED'],
  ] as const) {
    it(`${name}: no account is made`, async ({ w }) => {
      const before = await w.users()
      w.saveMeanwhile(fields)

      assert.equal((await w.carl.signUp()).body.code, refusal)
      assert.equal(await w.users(), before)
    })
  }

  it('verification becomes required: the account gets no session', async ({ w }) => {
    w.saveMeanwhile(VERIFIED)

    const { status, body } = await w.carl.signUp()

    assert.deepEqual([status, body.token, await whoIs(w.carl)], [200, null, undefined])
  })

  it('something else is saved: the sign-up goes on', async ({ w }) => {
    w.saveMeanwhile({ model: 'another' }, 'ai')

    assert.equal((await w.carl.signUp()).status, 200)
    assert.equal((await whoIs(w.carl)).email, w.carl.email)
  })

  it('registration is closed while a provider tells who it is: no account is made', async ({ w }) => {
    const before = await w.users()
    const callback = await consent(await begin(w.carl, 'community'))
    w.saveMeanwhile(CLOSED)

    assert.match((await land(w.carl, callback)) ?? '', /error=registration_disabled/)
    assert.equal(await w.users(), before)
  })

  it('once a save has returned, a sign-up that was about to commit adds nobody', async ({ w }) => {
    const counted = async () => {
      await w.save(CLOSED)
      return w.users()
    }
    const lock = { sql: 'lock table "user" in share mode' }

    const [, atTheSave] = await whileHeld<number | object>(w.service, lock, [() => w.carl.signUp(), counted])

    assert.equal(await w.users(), atTheSave)
  })
})

describe('checklist 103: settings that are saved while a sign-in runs decide about it', () => {
  it('verification becomes required: an unverified user gets no session', async ({ w }) => {
    w.saveMeanwhile(VERIFIED)

    assert.equal((await w.elsewhere.signIn()).body.code, 'EMAIL_NOT_VERIFIED')
    assert.equal(await whoIs(w.elsewhere), undefined)
  })

  for (const [way, fields, refusal] of [
    ['password', VERIFIED, 'EMAIL_NOT_VERIFIED'],
    ['provider', NO_FORUM, 'PROVIDER_DISABLED'],
  ] as const) {
    it(`before the second step, after a ${way} that no longer counts: it is not completed`, async ({ w }) => {
      const app = await addApp(w.service, w.ann)
      await linkVia(w.ann, 'community')
      if (way === 'password') await w.elsewhere.signIn()
      else await land(w.elsewhere, await consent(await begin(w.elsewhere, 'community')))
      await w.save(fields)

      assert.equal((await verifyTotp(w.elsewhere, app.code())).body.code, refusal)
      assert.equal(await whoIs(w.elsewhere), undefined)
    })
  }

  for (const [what, fields, error] of [
    ['the provider is switched off', NO_FORUM, /error=provider_disabled/],
    ['its client ID is replaced', { community_client_id: 'another-client' }, /error=provider_error/],
    [
      'its client secret is replaced',
      { community_client_secret: { action: 'replace', value: 'another secret' } },
      /error=provider_error/,
    ],
  ] as const) {
    it(`${what}: nobody is signed in by the former one`, async ({ w }) => {
      await linkVia(w.ann, 'community')
      const callback = await consent(await begin(w.elsewhere, 'community'))
      w.saveMeanwhile(fields)

      assert.match((await land(w.elsewhere, callback)) ?? '', error)
      assert.equal(await whoIs(w.elsewhere), undefined)
    })
  }

  it('the provider is switched off: no account of it is linked', async ({ w }) => {
    const callback = await consent(await beginLink(w.ann, 'community'))
    w.saveMeanwhile(NO_FORUM)

    assert.match((await land(w.ann, callback)) ?? '', /error=provider_disabled/)
    assert.deepEqual(await accountsOf(w.ann), ['credential'])
  })
})
