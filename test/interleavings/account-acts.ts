import { begin, beginLink, consent, land } from '../providers/journey.ts'
import { AuthenticatorApp, addApp, verifyTotp } from '../service/devices/factors.ts'
import { addPasskey, SecurityKey } from '../service/devices/security-key.ts'
import { poll, startDevice } from '../service/grants.ts'
import type { Person } from '../service/people.ts'
import { ACTS, type Act, type Beginning, elsewhere, newMember, newPasswordOf, outcomeOf, type Subject } from './acts.ts'
import type { Made } from './ways-in.ts'

const SCOPE = 'account:profile:read'

/** Acts on a user's factors, ways in, tokens and sessions. */
export const ACCOUNT_ACTS: Readonly<Record<string, (subject: Subject, n: number) => Promise<Act>>> = {
  'confirm app': async ({ stage, ann, made }, n) => {
    const { body } = await ann.post('/api/auth/two-factor/enable', { password: ann.password })
    const app = new AuthenticatorApp(stage.service, body)
    noteApp(made, n, app)
    return async () => outcomeOf(await verifyTotp(ann, app.code()))
  },
  'remove app': async (subject, n) => {
    const { ann } = subject
    await withApp(subject, n)
    return async () => outcomeOf(await ann.post('/api/auth/two-factor/disable', { password: ann.password }))
  },
  'second step': async (subject, n) => {
    const app = await withApp(subject, n)
    const browser = elsewhere(subject)
    await browser.signIn()
    return async () => {
      const answer = await verifyTotp(browser, app.code())
      noteSession(subject, `session of second step ${n}`, browser)
      return outcomeOf(answer)
    }
  },
  'sign in with a provider': async (subject, n) => {
    await linkCommunity(subject, n)
    const browser = elsewhere(subject)
    const callback = await consent(await begin(browser, 'community'))
    return async () => {
      const landed = new URL((await land(browser, callback)) ?? '', 'http://here.example')
      noteSession(subject, `session of provider ${n}`, browser)
      return landed.searchParams.get('error') ?? 'done'
    }
  },
  /** Comes from a browser that has not set the password, and has a session. */
  'verify in a session': async (subject, n) => {
    const browser = elsewhere(subject)
    const { email } = browser
    await browser.signIn()
    subject.tokens.set(`session of verify ${n}`, browser.token)
    await browser.post('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' })
    const otp = await subject.stage.service.mail.linkFor(email)
    return async () => outcomeOf(await browser.post('/api/auth/email-otp/verify-email', { email, otp }))
  },
  /** Comes from the browser that signed up, and has signed out. */
  'verify here': async (subject) => {
    const browser = elsewhere(subject)
    const { email } = browser
    for (const [name, value] of subject.ann.cookies) if (name !== 'session') browser.cookies.set(name, value)
    await browser.post('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' })
    const otp = await subject.stage.service.mail.linkFor(email)
    return async () => outcomeOf(await browser.post('/api/auth/email-otp/verify-email', { email, otp }))
  },
  'reset by code': async (subject, n) => {
    const browser = elsewhere(subject)
    const { email } = browser
    await browser.post('/api/auth/email-otp/request-password-reset', { email })
    const otp = await subject.stage.service.mail.codeFor(email)
    const password = newPasswordOf(subject, 'reset by code', n)
    return async () => outcomeOf(await browser.post('/api/auth/email-otp/reset-password', { email, otp, password }))
  },
  'renew codes': async (subject, n) => {
    const { ann, made } = subject
    await withApp(subject, n)
    const path = '/api/auth/two-factor/generate-backup-codes'
    return async () => {
      const answer = await ann.post(path, { password: ann.password })
      if (answer.status === 200) made.codes.set(`renewed ${n}`, answer.body.backupCodes[0])
      return outcomeOf(answer)
    }
  },
  'add passkey': async (subject, n) => {
    // Each browser keeps the challenge of one passkey.
    const browser = elsewhere(subject)
    await browser.signIn()
    subject.tokens.set(`session of passkey ${n}`, browser.token)
    const { body } = await browser.get('/api/auth/passkey/generate-register-options')
    const response = newKey(subject, n).make(body)
    return async () => outcomeOf(await browser.post('/api/auth/passkey/verify-registration', { response }))
  },
  'remove passkey': async (subject, n) => {
    const { ann } = subject
    const { body } = await addPasskey(ann, newKey(subject, n))
    subject.ways = { ...subject.ways, keys: [...subject.ways.keys, `passkey ${n}`] }
    return async () => outcomeOf(await ann.post('/api/auth/passkey/delete-passkey', { id: body.id }))
  },
  /** Removes the passkey with which the account was made, once there is another. */
  'remove first passkey': async (subject, n) => {
    const { ann, made } = subject
    const { body } = await addPasskey(ann, newKey(subject, n))
    subject.ways = { ...subject.ways, keys: [...subject.ways.keys, `passkey ${n}`] }
    const first = made.keys.get('first passkey')?.id.toString('base64url')
    const { id } = (await ann.get('/api/auth/passkey/list-user-passkeys')).body.find(
      (one: typeof body) => one.credentialID === first,
    )
    return async () => outcomeOf(await ann.post('/api/auth/passkey/delete-passkey', { id }))
  },
  'accept with a password': async (subject, n) => {
    const browser = elsewhere(subject)
    const { email } = browser
    const link = await invited(subject)
    const password = newPasswordOf(subject, 'accept with a password', n)
    return async () => outcomeOf(await browser.post('/api/auth/accept-invitation', { email, link, password }))
  },
  'accept with a passkey': async (subject, n) => {
    const browser = elsewhere(subject)
    const invitation = { email: browser.email, link: await invited(subject) }
    const { body } = await browser.post('/api/auth/passkey/generate-invitation-options', invitation)
    const response = newKey(subject, n).make(body)
    const sent = { ...invitation, response }
    return async () => outcomeOf(await browser.post('/api/auth/passkey/accept-invitation', sent))
  },
  'invite again':
    async ({ stage, ann: { email } }) =>
    async () =>
      outcomeOf(await stage.administrator.post('/api/admin/invite_user', { email })),
  unlink: async (subject, n) => {
    const { ann } = subject
    await linkCommunity(subject, n)
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
  restore: async (subject) => {
    const { stage, ann } = subject
    const { administrator } = stage
    await administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'Sent spam.' })
    subject.ways = { ...subject.ways, isSuspended: true }
    return async () => outcomeOf(await administrator.post('/api/admin/restore_user', { id: ann.id }))
  },
  'reset factors': async (subject, n) => {
    const { stage, ann } = subject
    await withApp(subject, n)
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

async function linkCommunity(subject: Subject, n: number): Promise<void> {
  const { ann } = subject
  newMember(subject, n)
  const landed = await land(ann, await consent(await beginLink(ann, 'community')))
  // An account has one of them.
  if (landed?.includes('error=')) return
  subject.ways = { ...subject.ways, members: [...subject.ways.members, `member ${n}`] }
}

async function withApp(subject: Subject, n: number): Promise<AuthenticatorApp> {
  const app = await addApp(subject.stage.service, subject.ann)
  noteApp(subject.made, n, app)
  subject.ways = { ...subject.ways, app: `app ${n}`, codes: `codes ${n}` }
  return app
}

function noteApp({ apps, codes }: Made, n: number, app: AuthenticatorApp): void {
  apps.set(`app ${n}`, app)
  codes.set(`codes ${n}`, app.backupCodes[0] ?? '')
}

/** Each letter has a link of its own, all of which are good until one is used. */
async function invited({ stage, ann: { email } }: Subject): Promise<string> {
  await stage.administrator.post('/api/admin/invite_user', { email })
  return stage.service.mail.linkFor(email)
}

function newKey({ stage, made }: Subject, n: number): SecurityKey {
  const key = new SecurityKey(stage.service.config.baseUrl)
  made.keys.set(`passkey ${n}`, key)
  return key
}

/** Each move and each erasure before has moved the clock by a minute. */
async function confirmed({ administrator }: Subject['stage']): Promise<void> {
  await administrator.post('/api/auth/confirm', { password: administrator.password })
}

const OF_INVITED = ['accept with a password', 'accept with a passkey', 'invite again']

/** Acts that take access away, or the account itself. */
const MET = ['erase', 'change', 'reset', 'suspend']

/** A suspended user can do nothing. */
const metBy = (name: string) => (name === 'restore' ? ['reset', 'suspend'] : MET)

/** Acts of a session; they sign out. */
const SIGNED_IN = ['approve', 'link', 'bind', 'make token', 'confirm app', 'unlink']

/** Each beside itself and what could get in between; all of them beside all others would take three times as long. */
export const ACCOUNT_PAIRS = [
  ...Object.keys(ACCOUNT_ACTS)
    .filter((name) => beginningOf(name) === 'password')
    .flatMap((name) => [...metBy(name), name].map((other) => [name, other] as const)),
  ...SIGNED_IN.map((name) => ['sign out', name] as const),
  ['end by administrator', 'add passkey'] as const,
  ['end others', 'verify in a session'] as const,
]

/**
 * Acts that set or remove a credential. One that needs a session in another browser is prepared before one that adds a
 * second factor.
 */
const ON_CREDENTIALS = [
  ...['verify', 'verify here', 'verify in a session', 'reset', 'reset by code', 'change', 'add passkey'],
  ...['unlink', 'link', 'remove passkey', 'mark verified'],
  ...['remove app', 'renew codes', 'reset factors', 'confirm app', 'erase'],
]

const isExplored = (pair: readonly [string, string]) =>
  pair.every((name) => name in ACTS) ||
  ACCOUNT_PAIRS.some(([a, b]) => pair.includes(a) && pair.includes(b) && (a === b) === (pair[0] === pair[1]))

const BESIDE_BEGINNINGS = ['verify', 'reset', 'mark verified', 'suspend']

/** Each of these beside each other one, as far as the pairs above do not have them. */
export const CREDENTIAL_PAIRS = [
  ...eachBeside(ON_CREDENTIALS).filter((pair) => !isExplored(pair)),
  ...eachBeside(OF_INVITED),
  ...OF_INVITED.flatMap((name) => BESIDE_BEGINNINGS.map((other) => [name, other] as const)),
  ...['verify here', 'remove first passkey', ...BESIDE_BEGINNINGS].map(
    (other) => ['remove first passkey', other] as const,
  ),
]

function eachBeside(names: readonly string[]) {
  return names.flatMap((name, i) => names.slice(i).map((other) => [name, other] as const))
}

/** The state from which the user of a pair of acts begins. */
export function beginningOf(...names: readonly string[]): Beginning {
  if (names.includes('remove first passkey')) return 'passkey'
  return names.some((name) => OF_INVITED.includes(name)) ? 'invitation' : 'password'
}
