import { wasErased } from '../../src/features/ground/audit/log.ts'
import { moveUser } from '../../src/features/tenancy/moves/moving.ts'
import { MoveRefused, NotToBeMoved } from '../../src/features/tenancy/moves/user-move.ts'
import { MoveTakenOver } from '../../src/features/tenancy/shards/holding.ts'
import { beginLink, consent } from '../providers/journey.ts'
import { exchangedBy } from '../service/applications.ts'
import { SecurityKey, signUpWithPasskey } from '../service/devices/security-key.ts'
import { approvedCode, type ConnectedClient, grantAt, redeem, revoke, startDevice } from '../service/grants.ts'
import { Person } from '../service/people.ts'
import type { Service } from '../service/service.ts'
import { leftInShards } from '../service/stores/shard-moves.ts'
import { RESOURCE, type Stage } from './stage.ts'
import { type Made, onlyWith, passwordOf, type WaysIn } from './ways-in.ts'

/** A user with a session and a connected tool, on whom two acts are performed at once. */
export interface Subject {
  readonly stage: Stage
  readonly ann: Person
  readonly client: ConnectedClient
  /** Everyone who acts for this user. */
  readonly browsers: Person[]
  /** The tokens that acts have issued, by kind. */
  readonly tokens: Map<string, string>
  readonly made: Made
  /** The ways to sign in when the acts begin. */
  ways: WaysIn
}

/** An act, as it is done in a turn. */
export type Act = () => Promise<Outcome>

/** `done`, or the code of the refusal. */
export type Outcome = string

const SCOPE = 'account:profile:read'
const FIRST_PASSWORD = 'a long walk in the rain'
let people = 0

/** A user's beginning: a password, a passkey, or an invitation that was not accepted yet. */
export type Beginning = 'password' | 'passkey' | 'invitation'

export async function newSubject(stage: Stage, beginning: Beginning): Promise<Subject> {
  const email = `ann-${++people}@example.com`
  const made: Made = {
    passwords: new Set(beginning === 'password' ? [FIRST_PASSWORD] : []),
    ...{ keys: new Map(), members: new Map(), apps: new Map(), codes: new Map() },
  }
  if (beginning === 'invitation') {
    const { body } = await stage.administrator.post('/api/admin/invite_user', { email })
    const ann = new Ann(stage.service, email, FIRST_PASSWORD)
    ann.givenId = body.id
    return {
      ...{ stage, ann, browsers: [ann], tokens: new Map(), made, ways: onlyWith({}) },
      get client(): ConnectedClient {
        throw new Error('an invited user has no tool')
      },
    }
  }
  const ann = new Ann(stage.service, email, FIRST_PASSWORD)
  const ways = await (beginning === 'passkey' ? signUpWithKey(stage, ann, made) : signUp(ann))
  // An address of which a service can exchange the token.
  const client = await grantAt(RESOURCE, ann, SCOPE)
  const tokens = new Map([
    ['first session', ann.cookies.get('session') ?? ''],
    ['first access', client.tokens.access_token],
    ['first refresh', client.tokens.refresh_token],
  ])
  return { stage, ann, client, browsers: [ann], tokens, made, ways }
}

/** A user who did not sign up with a password has the id from elsewhere. */
class Ann extends Person {
  givenId: string | undefined

  override get id(): string {
    return this.givenId ?? super.id
  }
}

async function signUp(ann: Person): Promise<WaysIn> {
  await ann.signUp()
  return onlyWith({ password: FIRST_PASSWORD })
}

async function signUpWithKey({ service }: Stage, ann: Ann, { keys }: Made): Promise<WaysIn> {
  const key = new SecurityKey(service.config.baseUrl)
  keys.set('first passkey', key)
  const { body } = await signUpWithPasskey(ann, key)
  ann.givenId = body.user.id
  return onlyWith({ keys: ['first passkey'] })
}

/** Each is prepared for a subject while nothing else runs; `n` tells two of a kind apart. */
export const ACTS: Readonly<Record<string, (subject: Subject, n: number) => Promise<Act>>> = {
  'sign in': async (subject, n) => {
    const browser = elsewhere(subject)
    return async () => {
      const answer = await browser.signIn()
      if (answer.status === 200) subject.tokens.set(`session of sign-in ${n}`, browser.token)
      return outcomeOf(answer)
    }
  },
  change: async (subject, n) => {
    const browser = subject.ann
    const newPassword = newPasswordOf(subject, 'change', n)
    return async () => {
      const answer = await browser.post('/api/auth/change-password', {
        currentPassword: FIRST_PASSWORD,
        newPassword,
        revokeOtherSessions: true,
      })
      if (answer.status === 200) subject.tokens.set(`session of change ${n}`, answer.body.token)
      return outcomeOf(answer)
    }
  },
  reset: async (subject, n) => {
    const browser = elsewhere(subject)
    const { email } = browser
    await browser.post('/api/auth/email-otp/request-password-reset', { email })
    const otp = await subject.stage.service.mail.linkFor(email)
    const password = newPasswordOf(subject, 'reset', n)
    return async () => outcomeOf(await browser.post('/api/auth/email-otp/reset-password', { email, otp, password }))
  },
  verify: async (subject) => {
    const browser = elsewhere(subject)
    const { email } = browser
    await browser.post('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' })
    const otp = await subject.stage.service.mail.linkFor(email)
    return async () => outcomeOf(await browser.post('/api/auth/email-otp/verify-email', { email, otp }))
  },
  link: async (subject, n) => {
    const { ann } = subject
    newMember(subject, n)
    const callback = await consent(await beginLink(ann, 'community'))
    return async () => {
      const { status, headers } = await ann.get(callback)
      if (status !== 302) throw new Error(`answered ${status}`)
      return new URL(headers.get('location') ?? '', 'http://here.example').searchParams.get('error') ?? 'done'
    }
  },
  bind: async ({ stage, ann }) => {
    const { body } = await stage.administrator.post('/api/admin/generate_beta_codes', { count: 1 })
    const beta_code = body.codes[0]
    return async () => outcomeOf(await ann.post('/api/bind_beta_code', { beta_code }))
  },
  refresh:
    async ({ client, tokens }, n) =>
    async () => {
      const answer = await client.refresh()
      if (answer.status === 200) {
        tokens.set(`access of refresh ${n}`, answer.body.access_token)
        tokens.set(`refresh of refresh ${n}`, answer.body.refresh_token)
      }
      return outcomeOf(answer)
    },
  revoke: async (subject) => {
    const browser = elsewhere(subject)
    return async () => outcomeOf(await revoke(browser, subject.client.tokens.access_token))
  },
  exchange: async (subject, n) => {
    const browser = elsewhere(subject)
    const { stage, client, tokens } = subject
    return async () => {
      const answer = await exchangedBy(browser, stage.server, client.tokens.access_token)
      if (answer.status === 200) tokens.set(`access of exchange ${n}`, answer.body.access_token)
      return outcomeOf(answer)
    }
  },
  approve: async (subject) => {
    const device = await startDevice(subject.ann, SCOPE)
    const { ann } = subject
    return async () => {
      const begun = await ann.post('/api/oauth/begin_authorization', { user_code: device.body.user_code })
      // Another act may have given the browser a new session since.
      if (begun.status !== 200) return outcomeOf(begun)
      const { request_id } = begun.body
      return outcomeOf(await ann.post('/api/oauth/decide_authorization', { request_id, approve: true }))
    }
  },
  redeem: async (subject, n) => {
    const browser = elsewhere(subject)
    const { code, verifier } = await approvedCode(subject.ann, [SCOPE])
    return async () => {
      const answer = await redeem(browser, code, verifier)
      if (answer.status === 200) subject.tokens.set(`access of redeem ${n}`, answer.body.access_token)
      return outcomeOf(answer)
    }
  },
  move:
    async ({ stage, ann }) =>
    async () => {
      const outcome = await moveUser(stage.service.platform, ann.id, 'oc-1').catch(refusedMove)
      return outcome === 'moved' ? 'done' : outcome
    },
  'submit feedback':
    async ({ ann }) =>
    async () => {
      const answer = await ann.post('/api/submit_feedback', { type: 'idea', content: 'Hello' })
      // A write is refused, and has to be repeated, while the user is being moved.
      return answer.status === 503 && answer.headers.has('retry-after') ? COME_AGAIN : outcomeOf(answer)
    },
  /** Includes what the background does at once. */
  erase:
    async ({ stage: { service }, ann }) =>
    async () => {
      const outcome = outcomeOf(await ann.post('/api/auth/delete-user', { password: FIRST_PASSWORD }))
      await service.runJob('erasure')
      if (await wasErased(service.platform.meta, ann.id)) await refuseLeftovers(service, ann.id)
      return outcome
    },
  suspend:
    async ({ stage, ann }) =>
    async () => {
      const body = { id: ann.id, reason: 'Sent spam.' }
      return outcomeOf(await stage.administrator.post('/api/admin/suspend_user', body))
    },
  'send reset':
    async ({ stage, ann }) =>
    async () =>
      outcomeOf(await stage.administrator.post('/api/admin/send_password_reset', { id: ann.id })),
}

async function refuseLeftovers(service: Service, userId: string): Promise<void> {
  const left = await leftInShards(service, userId)
  if (left.length > 0) throw new Error(`erased, and still there: ${JSON.stringify(left)}`)
}

/** A password that the act sets. */
export function newPasswordOf({ made }: Subject, act: string, n: number): string {
  const password = passwordOf(act, n)
  made.passwords.add(password)
  return password
}

/** The member of the community who consents next. */
export function newMember({ stage, made }: Subject, n: number): void {
  const id = ++people
  stage.forum.resources = { '/api/user': { id, username: 'ann' } }
  made.members.set(`member ${n}`, id)
}

/** Another browser, which meets another process. */
export function elsewhere({ stage, ann, browsers }: Subject): Person {
  const browser = new Person({ request: stage.service.requestElsewhere }, ann.email, FIRST_PASSWORD)
  browsers.push(browser)
  return browser
}

export function outcomeOf({ status, body }: { readonly status: number; readonly body: Refused }): Outcome {
  if (status >= 500) throw new Error(`answered ${status}`)
  return status < 300 ? 'done' : (body.code ?? body.error ?? String(status))
}

interface Refused {
  readonly code?: string
  readonly error?: string
}

export const COME_AGAIN = 'come again'

function refusedMove(error: unknown): Outcome {
  const kind = [MoveTakenOver, NotToBeMoved, MoveRefused].find((each) => error instanceof each)
  if (kind) return kind.name
  throw error
}
