import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { describe, it } from 'vitest'
import { resetAdministratorPassword } from '../../../src/features/identity/passwords/administrator-password.ts'
import { CHANGES, type Change } from '../../../src/features/mail/notices/changes.ts'
import { WORDS } from '../../../src/features/mail/notices/words.ts'
import { removeFactorsFromHost } from '../../../src/features/security/removing.ts'
import { enableProvider, linkVia } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { queryFor, register } from '../../service/applications.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { AuthenticatorApp, addApp, verifyBackupCode, verifyTotp } from '../../service/devices/factors.ts'
import { addPasskey, SecurityKey, showPasskey } from '../../service/devices/security-key.ts'
import { approvedCode, authorizationQuery, grantFor, newVerifier, redeem } from '../../service/grants.ts'
import { Person, people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { letterTable } from '../support/letter-table.ts'

const INVITED = 'dora@example.com'

async function world() {
  const stack = new AsyncDisposableStack()
  const forum = stack.use(await startPlainProvider('community', { '/api/user': { id: 7, username: 'ann' } }))
  const service = stack.use(await startService({ env: { COMMUNITY_AUTH_URL: forum.url } }))
  await changeSettings(service, 'email', { provider: 'smtp' })
  await enableProvider(service, 'community')
  const { administrator, ann } = await people(service)
  const browser = () => new Person(service, ann.email, ann.password)
  const key = new SecurityKey(service.config.baseUrl)
  return { service, administrator, ann, browser, key, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

type World = Awaited<ReturnType<typeof world>>
type Act = () => Promise<unknown>

async function halfWayIn({
  service,
  ann,
  browser,
}: World): Promise<{ app: AuthenticatorApp; there: Person }> {
  const app = await addApp(service, ann)
  const there = browser()
  await there.signIn()
  return { app, there }
}

async function personalToken({ ann }: World) {
  const wanted = { name: 'Script', scopes: ['account:profile:read'], expires_in_days: 7 }
  return ann.post('/api/create_personal_token', wanted)
}

/** How each comes about: what is made ready, and the one act that the letter is about. */
const CAUSES: Readonly<Record<Change, (world: World) => Promise<Act>>> = {
  'password changed':
    async ({ ann }) =>
    () =>
      ann.post('/api/auth/change-password', { currentPassword: ann.password, newPassword: 'a quiet walk' }),
  'password reset': async ({ service, ann }) => {
    const { email, password } = ann
    await ann.post('/api/auth/email-otp/request-password-reset', { email })
    const otp = await service.mail.codeFor(email)
    return () => ann.post('/api/auth/email-otp/reset-password', { email, otp, password })
  },
  'password reset on the host':
    async ({ service }) =>
    () =>
      resetAdministratorPassword(service.platform),
  'invitation accepted': async ({ service, administrator }) => {
    await administrator.post('/api/admin/invite_user', { email: INVITED })
    const link = await service.mail.linkFor(INVITED)
    const dora = new Person(service, INVITED, 'a heron on the pier')
    return () => dora.post('/api/auth/accept-invitation', { email: INVITED, link, password: dora.password })
  },
  'verified in another browser': async ({ service, ann, browser }) => {
    const { email } = ann
    await ann.post('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' })
    const otp = await service.mail.codeFor(email)
    return () => browser().post('/api/auth/email-otp/verify-email', { email, otp })
  },
  'totp added': async ({ service, ann }) => {
    const { body } = await ann.post('/api/auth/two-factor/enable', { password: ann.password })
    return () => verifyTotp(ann, new AuthenticatorApp(service, body).code())
  },
  'totp removed': async ({ service, ann }) => {
    await addApp(service, ann)
    return () => ann.post('/api/auth/two-factor/disable', { password: ann.password })
  },
  'passkey added':
    async ({ ann, key }) =>
    () =>
      addPasskey(ann, key),
  'passkey removed': async ({ ann, key }) => {
    await addPasskey(ann, key)
    const { body } = await ann.get('/api/auth/passkey/list-user-passkeys')
    return () => ann.post('/api/auth/passkey/delete-passkey', { id: body[0].id })
  },
  'passkey copied': async ({ ann, key, browser }) => {
    await addPasskey(ann, key)
    await showPasskey(browser(), key, { counter: 7 })
    return () => showPasskey(browser(), key, { counter: 3 })
  },
  'backup codes renewed': async ({ service, ann }) => {
    await addApp(service, ann)
    return () => ann.post('/api/auth/two-factor/generate-backup-codes', { password: ann.password })
  },
  'backup code used': async (w) => {
    const { app, there } = await halfWayIn(w)
    return () => verifyBackupCode(there, app.backupCodes[0] ?? '')
  },
  'factors removed': async ({ service, administrator, ann }) => {
    await addApp(service, ann)
    return () => administrator.post('/api/admin/remove_factors', { id: ann.id })
  },
  'wrong second steps': async (w) => {
    const { there } = await halfWayIn(w)
    for (let i = 0; i < 9; i++) await verifyTotp(there, '000000')
    return () => verifyTotp(there, '000000')
  },
  'device trusted': async (w) => {
    const { app, there } = await halfWayIn(w)
    return () => verifyTotp(there, app.code(), true)
  },
  'device no longer trusted': async (w) => {
    const { app, there } = await halfWayIn(w)
    await verifyTotp(there, app.code(), true)
    const { body } = await there.get('/api/auth/security-overview')
    return () => there.post('/api/auth/two-factor/revoke-trusted-device', { id: body.trustedDevices[0].id })
  },
  'signed out everywhere':
    async ({ ann }) =>
    () =>
      ann.post('/api/auth/revoke-sessions'),
  'signed out elsewhere': async ({ ann, browser }) => {
    await browser().signIn()
    const { body } = await ann.get('/api/auth/list-sessions')
    const other = body.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent)
    return () => ann.post('/api/auth/revoke-session', { token: other.token })
  },
  'provider linked':
    async ({ ann }) =>
    () =>
      linkVia(ann, 'community'),
  'provider unlinked': async ({ ann }) => {
    await linkVia(ann, 'community')
    return () => ann.post('/api/auth/unlink-account', { providerId: 'community' })
  },
  'tool connected': async ({ ann }) => {
    const { body } = await ann.post(
      '/api/oauth/begin_authorization',
      authorizationQuery(['account:profile:read']),
    )
    return () => ann.post('/api/oauth/decide_authorization', { request_id: body.request_id, approve: true })
  },
  'application connected': async ({ administrator, ann }) => {
    const shop = await register(administrator)
    const { body } = await ann.post('/api/oauth/begin_authorization', queryFor(shop, newVerifier()))
    return () => ann.post('/api/oauth/decide_authorization', { request_id: body.request_id, approve: true })
  },
  'tool disconnected': async ({ ann }) => {
    await grantFor(ann, 'account:profile:read')
    const { body } = await ann.post('/api/list_grants')
    return () => ann.post('/api/revoke_grant', { id: body.items[0].id })
  },
  'token made': async (w) => () => personalToken(w),
  'token revoked': async (w) => {
    const { body } = await personalToken(w)
    return () => w.ann.post('/api/revoke_personal_token', { id: body.id })
  },
}

const OWNERS: Readonly<Partial<Record<Change, string>>> = {
  'password reset on the host': 'the administrator',
  'invitation accepted': INVITED,
}

/** Those in which the owner's browser had no part, so that nothing is said of one. */
const ELSEWHERE: readonly Change[] = ['password reset on the host', 'factors removed']

function ownerOf({ administrator, ann }: World, change: Change): string {
  const owner = OWNERS[change] ?? ann.email
  return owner === 'the administrator' ? administrator.email : owner
}

async function recordedIn({ service }: World) {
  const rows = await service.platform.meta.primary.selectFrom('event').select(['id', 'action']).execute()
  return new Map(rows.map(({ id, action }) => [id, action]))
}

function written({ service }: World) {
  return service.platform.meta.primary
    .selectFrom('event')
    .select((eb) => eb.fn.countAll<number>().as('entries'))
    .executeTakeFirstOrThrow()
}

for (const change of CHANGES) {
  describe(`a letter about "${change}"`, () => {
    it('goes to the owner once, with time, device and address, and what to do', async () => {
      await using w = await world()
      const act = await CAUSES[change](w)
      const before = (await w.service.mail.all()).length
      const earlier = await recordedIn(w)

      await act()

      const letters = (await w.service.mail.all()).slice(before)
      const about = letters.filter(({ subject }) => subject.startsWith(WORDS.en.changes[change].subject))
      assert.equal(about.length, 1, letters.map(({ subject }) => subject).join())
      const [letter] = about
      assert.equal(letter?.to, ownerOf(w, change))
      assert.match(letter?.text ?? '', /When: \d{4}-\d\d-\d\d \d\d:\d\d \(UTC\)/)
      const { closing = WORDS.en.closing } = WORDS.en.changes[change]
      assert.ok(letter?.text.includes(closing), letter?.text)
      assert.equal(/Address: 127\.0\.0\.1/.test(letter?.text ?? ''), !ELSEWHERE.includes(change))
      const acts = [...(await recordedIn(w))].filter(([id]) => !earlier.has(id)).map(([, action]) => action)
      const expected = acts.flatMap((action) => letterTable().get(action)?.letters ?? [])
      assert.ok(expected.includes(change), `docs/security.md has no such letter for ${acts}`)
    })

    it('is in the same commit: if it cannot be written, nothing is changed', async () => {
      await using w = await world()
      const act = await CAUSES[change](w)
      await w.service.mail.all()
      const before = await written(w)
      await sql`alter table mail_queue rename to mail_queue_away`.execute(w.service.platform.meta)

      const answer = await act().catch((error: unknown) => ({ status: String(error) }))

      assert.notEqual((answer as { readonly status?: unknown } | undefined)?.status, 200)
      assert.deepEqual(await written(w), before)
    })
  })
}

describe('a letter about a tool that the owner did not disconnect', () => {
  const SUBJECT = WORDS.en.changes['tool disconnected'].subject

  it('is written when its code was used twice', async () => {
    await using w = await world()
    const { code, verifier } = await approvedCode(w.ann, ['account:profile:read'])
    await redeem(w.ann, code, verifier)

    const again = await redeem(w.ann, code, verifier)

    assert.equal(again.body.error, 'invalid_grant')
    const letters = await w.service.mail.sentTo(w.ann.email)
    assert.equal(letters.filter(({ subject }) => subject.startsWith(SUBJECT)).length, 1)
  })

  it('is written when the administrator ended it, and names no place', async () => {
    await using w = await world()
    await grantFor(w.ann, 'account:profile:read')
    const { body } = await w.ann.post('/api/list_grants')

    const sent = { id: body.items[0].id, user_id: w.ann.id }
    const ended = await w.administrator.post('/api/admin/revoke_user_grant', sent)

    assert.equal(ended.status, 200)
    const letters = await w.service.mail.sentTo(w.ann.email)
    const about = letters.filter(({ subject }) => subject.startsWith(SUBJECT))
    assert.equal(about.length, 1)
    assert.doesNotMatch(about[0]?.text ?? '', /Address:/)
  })
})

describe('a letter about a reset on the host', () => {
  it('is written to the administrator, or to the user who is named', async () => {
    await using w = await world()

    await removeFactorsFromHost(w.service.platform, undefined)
    await removeFactorsFromHost(w.service.platform, w.ann.email)

    for (const { email } of [w.administrator, w.ann]) {
      const letters = await w.service.mail.sentTo(email)
      const subject = WORDS.en.changes['factors removed'].subject
      assert.equal(letters.filter((letter) => letter.subject.startsWith(subject)).length, 1)
    }
  })
})
