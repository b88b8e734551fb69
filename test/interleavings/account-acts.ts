import { begin, beginLink, consent, land } from '../providers/journey.ts'
import { AuthenticatorApp, addApp, verifyTotp } from '../service/devices/factors.ts'
import { addPasskey, SecurityKey } from '../service/devices/security-key.ts'
import { poll, startDevice } from '../service/grants.ts'
import type { Person } from '../service/people.ts'
import { type Act, elsewhere, outcomeOf, type Subject } from './acts.ts'

const SCOPE = 'account:profile:read'

/** Far from the accounts that other acts link. */
let unlinked = 1_000_000

/** On a user's factors, ways in, tokens and sessions. */
export const ACCOUNT_ACTS: Readonly<Record<string, (subject: Subject, n: number) => Promise<Act>>> = {
  'confirm app': async ({ stage, ann }) => {
    const { body } = await ann.post('/api/auth/two-factor/enable', { password: ann.password })
    const app = new AuthenticatorApp(stage.service, body)
    return async () => outcomeOf(await verifyTotp(ann, app.code()))
  },
  'remove app': async ({ stage, ann }) => {
    await addApp(stage.service, ann)
    return async () => outcomeOf(await ann.post('/api/auth/two-factor/disable', { password: ann.password }))
  },
  'second step': async (subject, n) => {
    const app = await addApp(subject.stage.service, subject.ann)
    const browser = elsewhere(subject)
    await browser.signIn()
    return async () => {
      const answer = await verifyTotp(browser, app.code())
      noteSession(subject, `session of second step ${n}`, browser)
      return outcomeOf(answer)
    }
  },
  'sign in with a provider': async (subject, n) => {
    await linkCommunity(subject)
    const browser = elsewhere(subject)
    const callback = await consent(await begin(browser, 'community'))
    return async () => {
      const landed = new URL((await land(browser, callback)) ?? '', 'http://here.example')
      noteSession(subject, `session of provider ${n}`, browser)
      return landed.searchParams.get('error') ?? 'done'
    }
  },
  /** By a browser that has not set the password, and has a session. */
  'verify in a session': async (subject, n) => {
    const browser = elsewhere(subject)
    const { email } = browser
    await browser.signIn()
    subject.tokens.set(`session of verify ${n}`, browser.token)
    await browser.post('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' })
    const otp = await subject.stage.service.mail.linkFor(email)
    return async () => outcomeOf(await browser.post('/api/auth/email-otp/verify-email', { email, otp }))
  },
  'renew codes': async ({ stage, ann }) => {
    await addApp(stage.service, ann)
    const path = '/api/auth/two-factor/generate-backup-codes'
    return async () => outcomeOf(await ann.post(path, { password: ann.password }))
  },
  'add passkey': async (subject, n) => {
    // Each browser keeps the challenge of one passkey.
    const browser = elsewhere(subject)
    await browser.signIn()
    subject.tokens.set(`session of passkey ${n}`, browser.token)
    const { body } = await browser.get('/api/auth/passkey/generate-register-options')
    const response = new SecurityKey(subject.stage.service.config.baseUrl).make(body)
    return async () => outcomeOf(await browser.post('/api/auth/passkey/verify-registration', { response }))
  },
  'remove passkey': async ({ stage, ann }) => {
    const { body } = await addPasskey(ann, new SecurityKey(stage.service.config.baseUrl))
    return async () => outcomeOf(await ann.post('/api/auth/passkey/delete-passkey', { id: body.id }))
  },
  unlink: async (subject) => {
    const { ann } = subject
    await linkCommunity(subject)
    return async () => outcomeOf(await ann.post('/api/auth/unlink-account', { providerId: 'community' }))
  },
  'make token':
    async ({ ann, tokens }, n) =>
    async () => {
      const sent = { name: 'CI', scopes: [SCOPE], expires_in_days: 30 }
      const answer = await ann.post('/api/create_personal_token', sent)
      if (answer.status === 200) tokens.set(`personal token ${n}`, answer.body.token)
      return outcomeOf(answer)
    },
  'redeem device': async (subject, n) => {
    const browser = elsewhere(subject)
    const { device_code, user_code } = (await startDevice(browser, SCOPE)).body
    const begun = await subject.ann.post('/api/oauth/begin_authorization', { user_code })
    const { request_id } = begun.body
    await subject.ann.post('/api/oauth/decide_authorization', { request_id, approve: true })
    return async () => {
      const answer = await poll(browser, device_code)
      if (answer.status === 200) subject.tokens.set(`access of device ${n}`, answer.body.access_token)
      return outcomeOf(answer)
    }
  },
  'sign out':
    async ({ ann }) =>
    async () =>
      outcomeOf(await ann.post('/api/auth/sign-out')),
  'end one': async (subject, n) => {
    const browser = elsewhere(subject)
    await browser.signIn()
    subject.tokens.set(`session to end ${n}`, browser.token)
    const { body } = await browser.get('/api/auth/get-session')
    const { id } = body.session
    return async () => outcomeOf(await subject.ann.post('/api/auth/revoke-session', { token: id }))
  },
  'end others':
    async ({ ann }) =>
    async () =>
      outcomeOf(await ann.post('/api/auth/revoke-other-sessions', { tools: true })),
  'end all':
    async ({ ann }) =>
    async () =>
      outcomeOf(await ann.post('/api/auth/revoke-sessions')),
  restore: async ({ stage, ann }) => {
    const { administrator } = stage
    await administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'Sent spam.' })
    return async () => outcomeOf(await administrator.post('/api/admin/restore_user', { id: ann.id }))
  },
  'reset factors': async ({ stage, ann }) => {
    await addApp(stage.service, ann)
    await confirmed(stage)
    return async () => outcomeOf(await stage.administrator.post('/api/admin/remove_factors', { id: ann.id }))
  },
  'mark verified': async ({ stage, ann }) => {
    await confirmed(stage)
    return async () => outcomeOf(await stage.administrator.post('/api/admin/mark_verified', { id: ann.id }))
  },
  'end by administrator':
    async ({ stage, ann }) =>
    async () =>
      outcomeOf(await stage.administrator.post('/api/admin/revoke_user_sessions', { id: ann.id })),
}

function noteSession({ tokens }: Subject, name: string, browser: Person): void {
  const session = browser.cookies.get('session')
  if (session !== undefined) tokens.set(name, session)
}

async function linkCommunity({ stage, ann }: Subject): Promise<void> {
  stage.forum.resources = { '/api/user': { id: ++unlinked, username: 'ann' } }
  await land(ann, await consent(await beginLink(ann, 'community')))
}

/** Each move and each erasure before has moved the clock by a minute. */
async function confirmed({ administrator }: Subject['stage']): Promise<void> {
  await administrator.post('/api/auth/confirm', { password: administrator.password })
}

/** What takes access away, or the account itself. */
const MET = ['erase', 'change', 'reset', 'suspend']

/** A suspended user can do nothing. */
const metBy = (name: string) => (name === 'restore' ? ['reset', 'suspend'] : MET)

/** What a session does, which signs out. */
const SIGNED_IN = ['approve', 'link', 'bind', 'make token', 'confirm app', 'unlink']

/** Each beside itself and what could get in between; all of them beside all others would take three times as long. */
export const ACCOUNT_PAIRS = [
  ...Object.keys(ACCOUNT_ACTS).flatMap((name) =>
    [...metBy(name), name].map((other) => [name, other] as const),
  ),
  ...SIGNED_IN.map((name) => ['sign out', name] as const),
  ['end by administrator', 'add passkey'] as const,
  ['end others', 'verify in a session'] as const,
]
