import assert from 'node:assert/strict'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe } from 'vitest'
import { WORDS } from '../../../src/features/delivery/mail/texts/notices.ts'
import { setAdministratorsAddress } from '../../../src/features/people/account/administrators-address.ts'
import { resetAdministratorPassword } from '../../../src/features/people/account/password.ts'
import { removeFactorsFromHost } from '../../../src/features/people/second-factor/removing.ts'
import { CHANGES, type Change } from '../../../src/rules/changes.ts'
import { linkVia } from '../../providers/journey.ts'
import { basic, codeFor, queryFor, register, tokensFor } from '../../service/applications.ts'
import { listStolen, withPassword } from '../../service/breached.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { AuthenticatorApp, addApp, verifyBackupCode, verifyTotp } from '../../service/devices/factors.ts'
import { addPasskey, showPasskey } from '../../service/devices/security-key.ts'
import {
  approvedCode,
  authorizationQuery,
  decideDevice,
  grantFor,
  newVerifier,
  postForm,
  redeem,
} from '../../service/grants.ts'
import { proveAddress } from '../../service/mailed.ts'
import { Person } from '../../service/people.ts'
import type { Options, Service } from '../../service/service.ts'
import { proven } from '../../service/staff.ts'
import { temporaryFolder } from '../../service/temporary-folder.ts'
import { NO_COOLDOWN, WITH_MAIL } from '../../service/with-mail.ts'
import { it as inHouse, type World } from '../support/house.ts'
import { letterTable } from '../support/letter-table.ts'

/** Letters about a change that a person, by default Ann, got. */
const it = inHouse
  .extend({ settings: { ...WITH_MAIL, authentication: { ...NO_COOLDOWN, email_changes: 'verified' } } })
  .extend<{ more: Options }>({
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
    more: async ({}, use) =>
      use({ env: { BREACH_LIST: join(temporaryFolder(), 'list'), TRUSTED_PROXIES: '127.0.0.0/8' } }),
  })
  .extend('about', ({ service, ann }) => async (change: Change, { email }: Person = ann) => {
    const letters = await service.mail.sentTo(email)
    return letters.filter(({ subject }) => subject.startsWith(WORDS.en.changes[change].subject))
  })

const STOLEN = 'a heron that was seen'
const NEW_ADDRESS = 'owner@example.com'
const INVITED = 'dora@example.com'
const HOME = { 'x-forwarded-for': '198.51.100.9' }
const AWAY = { 'x-forwarded-for': '192.0.2.1' }
const READ = 'admin:users:read'
const WRITE = 'admin:users:write'

type Act = () => Promise<unknown>
type Prepare = (world: World) => Promise<Act>

/** Nothing needs preparing. */
const directly =
  (act: (world: World) => Promise<unknown>): Prepare =>
  async (world) =>
  () =>
    act(world)

async function halfWayIn({ service, ann, browser }: World) {
  const app = await addApp(service, ann)
  const there = browser()
  await there.signIn()
  return { app, there }
}

async function personalToken({ ann }: World) {
  const wanted = { name: 'Script', scopes: ['account:profile:read'], expires_in_days: 7 }
  return ann.post('/api/create_personal_token', wanted)
}

/** The cause of each: the preparation, and the one act that the letter is about. */
const CAUSES: Readonly<Record<Change, Prepare>> = {
  'unfamiliar sign-in': async ({ ann, browser }) => {
    await ann.signIn(HOME)
    return () => browser().signIn(AWAY)
  },
  'address change asked for': directly(({ ann }) => ann.post('/api/auth/change-email', { newEmail: NEW_ADDRESS })),
  'address wanted by another': directly(({ ann, ben }) => ben.post('/api/auth/change-email', { newEmail: ann.email })),
  'password changed': directly(({ ann }) =>
    ann.post('/api/auth/change-password', { currentPassword: ann.password, newPassword: 'a quiet walk' }),
  ),
  'password breached': async ({ service, ann }) => {
    const path = String(service.config.breachList)
    await listStolen(path, [STOLEN])
    const there = await withPassword(service, ann, STOLEN)
    return () => there.signIn()
  },
  'password reset': async ({ service, ann }) => {
    const { email, password } = ann
    await ann.post('/api/auth/email-otp/request-password-reset', { email })
    const otp = await service.mail.codeFor(email)
    return () => ann.post('/api/auth/email-otp/reset-password', { email, otp, password })
  },
  'password reset on the host': directly(({ service }) => resetAdministratorPassword(service.platform)),
  'address changed on the host': directly(({ service }) => setAdministratorsAddress(service.platform, NEW_ADDRESS)),
  'address taken up': directly(({ service }) => setAdministratorsAddress(service.platform, NEW_ADDRESS)),
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
  'passkey added': directly(({ ann, newKey }) => addPasskey(ann, newKey())),
  'passkey removed': async ({ ann, newKey }) => {
    await addPasskey(ann, newKey())
    const { body } = await ann.get('/api/auth/passkey/list-user-passkeys')
    return () => ann.post('/api/auth/passkey/delete-passkey', { id: body[0].id })
  },
  'passkey copied': async ({ ann, newKey, browser }) => {
    const key = newKey()
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
  'signed out everywhere': directly(({ ann }) => ann.post('/api/auth/revoke-sessions')),
  'signed out elsewhere': async ({ ann, browser }) => {
    await browser().signIn()
    const { body } = await ann.get('/api/auth/list-sessions')
    const other = body.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent)
    return () => ann.post('/api/auth/revoke-session', { token: other.token })
  },
  'provider linked': directly(({ ann }) => linkVia(ann, 'community')),
  'provider unlinked': async ({ ann }) => {
    await linkVia(ann, 'community')
    return () => ann.post('/api/auth/unlink-account', { providerId: 'community' })
  },
  'tool connected': async ({ ann }) => {
    const { body } = await ann.post('/api/oauth/begin_authorization', authorizationQuery(['account:profile:read']))
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
  'token made': directly(personalToken),
  'token revoked': async (w) => {
    const { body } = await personalToken(w)
    return () => w.ann.post('/api/revoke_personal_token', { id: body.id })
  },
  'acted as you': async ({ service, administrator, ann }) => {
    await changeSettings(service, 'authentication', { impersonation: 'read_and_write' })
    return () => administrator.post('/api/auth/admin/impersonate-user', { userId: ann.id, write: true })
  },
  'staff added': async (w) => staffing(w, [READ]),
  'staff changed': async (w) => staffing(w, [WRITE], [READ]),
  'staff removed': async (w) => staffing(w, [], [READ]),
  'colleague added': async (w) => staffing(w, [READ]),
  'colleague changed': async (w) => staffing(w, [WRITE], [READ]),
  'colleague removed': async (w) => staffing(w, [], [READ]),
  'removed from organisation': async (w) => membership(w, 'member', 'remove_member', {}),
  'ownership gained': async (w) => membership(w, 'member', 'update_member', { roles: ['owner'] }),
  'ownership lost': async (w) => membership(w, 'owner', 'update_member', { roles: ['member'] }),
}

/** Ann is in an organisation with another owner; the administrator changes that. */
async function membership({ administrator, ann }: World, role: string, act: string, fields: object) {
  const made = { name: 'Rowers v2.club', owner_id: administrator.id }
  const { body } = await administrator.post('/api/admin/create_organization', made)
  const of = { organization_id: body.id, user_id: ann.id }
  await administrator.post('/api/admin/add_member', { ...of, roles: [role] })
  return () => administrator.post(`/api/admin/${act}`, { ...of, ...fields })
}

/** Ann has some scopes already, if given; the act gives her others in their place. */
async function staffing({ service, administrator, ann }: World, scopes: readonly string[], before?: readonly string[]) {
  await proven(service, ann)
  const update = (given: readonly string[]) =>
    administrator.post('/api/admin/update_staff', { user_id: ann.id, scopes: given })
  if (before) await update(before)
  return () => update(scopes)
}

/** The recipient of the letter, if it is not Ann. */
const OWNERS: Readonly<Partial<Record<Change, string>>> = {
  'password reset on the host': 'admin@example.com',
  'address changed on the host': 'admin@example.com',
  'address taken up': NEW_ADDRESS,
  'invitation accepted': INVITED,
  'colleague added': 'admin@example.com',
  'colleague changed': 'admin@example.com',
  'colleague removed': 'admin@example.com',
}

/** No mail program makes a link of it. */
const ORGANIZATION = 'Rowers v2.\u2060club'

/** The tool, application, token, passkey or organisation that each of them names. */
const NAMES: Readonly<Partial<Record<Change, string>>> = {
  'passkey copied': 'Passkey, added 2026-11-21',
  'tool connected': WORDS.en.tool,
  'tool disconnected': WORDS.en.tool,
  'application connected': 'Shop',
  'token made': 'Script',
  'token revoked': 'Script',
  'colleague added': 'ann@example.com',
  'colleague changed': 'ann@example.com',
  'colleague removed': 'ann@example.com',
  'removed from organisation': ORGANIZATION,
  'ownership gained': ORGANIZATION,
  'ownership lost': ORGANIZATION,
}

/** The address that the letter shows, if the act came from elsewhere than this machine. */
const ADDRESSES: Readonly<Partial<Record<Change, string>>> = { 'unfamiliar sign-in': AWAY['x-forwarded-for'] }

/** Letters about acts without the owner's browser, which therefore describe none. */
const ELSEWHERE: readonly Change[] = [
  'address wanted by another',
  ...(['password reset on the host', 'factors removed'] as const),
  ...(['acted as you', 'staff added', 'staff changed', 'staff removed'] as const),
  ...(['address changed on the host', 'address taken up'] as const),
  ...(['removed from organisation', 'ownership gained', 'ownership lost'] as const),
]

const recordedIn = ({ platform }: Service) =>
  platform.meta.primary.selectFrom('event').select(['id', 'action']).orderBy('id').execute()

describe('a letter about', () => {
  it.for(CHANGES)(
    '"%s" goes to the owner once, with name, time, device and address, and what to do',
    async (change, { world, service, ann }) => {
      const act = await CAUSES[change](world)
      const before = (await service.mail.all()).length
      const earlier = new Set((await recordedIn(service)).map(({ id }) => id))

      await act()

      const letters = (await service.mail.all()).slice(before)
      const { subject, closing = WORDS.en.closing } = WORDS.en.changes[change]
      const about = letters.filter((letter) => letter.subject.startsWith(subject))
      assert.equal(about.length, 1, letters.map((letter) => letter.subject).join())
      const [{ to, text } = { to: '', text: '' }] = about
      assert.equal(to, OWNERS[change] ?? ann.email)
      assert.equal(/^Name: (.+); When:/m.exec(text)?.[1], NAMES[change])
      assert.match(text, /When: \d{4}-\d\d-\d\d \d\d:\d\d \(UTC\)/)
      assert.ok(text.includes(closing), text)
      const address = ELSEWHERE.includes(change) ? undefined : (ADDRESSES[change] ?? '127.0.0.1')
      assert.equal(/Address: ([\d.]+)/.exec(text)?.[1], address)
      const acts = (await recordedIn(service)).filter(({ id }) => !earlier.has(id)).map(({ action }) => action)
      const expected = acts.flatMap((action) => letterTable().get(action)?.letters ?? [])
      assert.ok(expected.includes(change), `docs/security.md has no such letter for ${acts}`)
    },
  )

  it.for(CHANGES)(
    '"%s" is in the same commit: if it cannot be written, nothing is changed',
    async (change, { world, service }) => {
      const act = await CAUSES[change](world)
      await service.mail.all()
      const before = await recordedIn(service)
      await sql`alter table letter_queue rename to letter_queue_away`.execute(service.platform.meta)

      const answer = await act().catch((error: unknown) => ({ status: String(error) }))

      assert.notEqual((answer as { readonly status?: unknown } | undefined)?.status, 200)
      assert.deepEqual(await recordedIn(service), before)
    },
  )

  it('a disconnected tool is written when its code was used twice', async ({ ann, about }) => {
    const { code, verifier } = await approvedCode(ann, ['account:profile:read'])
    await redeem(ann, code, verifier)

    const again = await redeem(ann, code, verifier)

    assert.equal(again.body.error, 'invalid_grant')
    assert.equal((await about('tool disconnected')).length, 1)
  })

  it('a tool that the administrator disconnected names who did it, and no place', async ({
    administrator,
    ann,
    about,
  }) => {
    await grantFor(ann, 'account:profile:read')
    const { body } = await ann.post('/api/list_grants')

    const sent = { id: body.items[0].id, user_id: ann.id }
    const ended = await administrator.post('/api/admin/revoke_user_grant', sent)

    const [letter, ...more] = await about('tool disconnected')
    assert.deepEqual([ended.status, more], [200, []])
    assert.doesNotMatch(letter?.text ?? 'Address: no letter', /Address:/)
    assert.match(letter?.text ?? '', /By: Administrator/)
  })

  it('a reset on the host goes to the one who is named', async ({ service, administrator, ann, about }) => {
    await removeFactorsFromHost(service.platform, undefined)
    await removeFactorsFromHost(service.platform, ann.email)

    for (const person of [administrator, ann]) assert.equal((await about('factors removed', person)).length, 1)
  })
})

describe('a letter about an application', () => {
  it('comes with the first consent, and again only for more', async ({ administrator, ann, about }) => {
    const scope = { scope: 'product:orders:read', description: 'Read orders' }
    await administrator.post('/api/admin/declare_product_scope', scope)
    const more = 'openid profile email product:orders:read'
    const shop = await register(administrator, { scopes: more.split(' ') })

    const counts: number[] = []
    for (const changes of [{}, {}, { prompt: 'consent' }, { scope: more }, { scope: more }]) {
      await codeFor(ann, shop, changes)
      counts.push((await about('application connected')).length)
    }

    assert.deepEqual(counts, [1, 1, 1, 2, 2])
    assert.match((await about('application connected'))[0]?.text ?? '', /Name: Shop; When:/)
  })

  it('comes with each device that is approved', async ({ administrator, ann, about }) => {
    const shop = await register(administrator)
    await tokensFor(ann, shop)

    const asked = { scope: 'openid profile email' }
    const { body } = await postForm(ann, '/api/oauth/device_authorization', asked, basic(shop))
    const decided = await decideDevice(ann, body.user_code, true)

    assert.equal(decided.status, 200)
    assert.equal((await about('application connected')).length, 2)
  })

  it('does not come for one of the operator that needs no consent', async ({ administrator, ann, about }) => {
    await tokensFor(ann, await register(administrator, { skip_consent: true }))

    assert.deepEqual(await about('application connected'), [])
  })
})

describe('a letter about the first proof of an address', () => {
  it('comes once, if another browser ends what was set up before', async ({
    service,
    ann,
    app: _,
    key,
    browser,
    about,
  }) => {
    await addPasskey(ann, key)
    await linkVia(ann, 'community')

    await proveAddress(service, ann, browser())
    const users = service.platform.meta.primary.selectFrom('user').where('email', '=', ann.email)
    const factors = await users.select('factors').execute()
    await proveAddress(service, ann, browser())

    assert.deepEqual(factors, [{ factors: '' }])
    assert.equal((await about('verified in another browser')).length, 1)
  })

  it('does not come for the browser that signed up', async ({ service, ann, about }) => {
    await proveAddress(service, ann, ann)

    assert.deepEqual(await about('verified in another browser'), [])
  })
})

describe('a letter about other devices', () => {
  it("comes if they are signed out together, not about one's own", async ({ ann, browser, about }) => {
    const own = browser()
    await own.signIn()
    const { body } = await own.get('/api/auth/list-sessions')
    const current = body.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent)

    await own.post('/api/auth/revoke-session', { token: current.token })
    const afterOwn = await about('signed out elsewhere')
    await browser().signIn()
    await ann.post('/api/auth/revoke-other-sessions')

    assert.deepEqual(afterOwn, [])
    assert.equal((await about('signed out elsewhere')).length, 1)
  })
})
