import { moveUser } from '../../src/features/moves/moving.ts'
import { beginLink, consent } from '../providers/journey.ts'
import {
  approvedCode,
  type ConnectedClient,
  decideDevice,
  grantFor,
  redeem,
  revoke,
  startDevice,
} from '../service/grants.ts'
import { Person } from '../service/people.ts'
import type { Stage } from './stage.ts'

/** Somebody with a session and a connected tool, about whom two acts are done at once. */
export interface Subject {
  readonly stage: Stage
  readonly ann: Person
  readonly client: ConnectedClient
  /** The tokens that acts have handed out, by what they are. */
  readonly tokens: Map<string, string>
}

/** What is done in a turn; whether it was. */
type Act = () => Promise<boolean>

const SCOPE = 'account:profile:read'
const FIRST_PASSWORD = 'a long walk in the rain'
let people = 0

export async function newSubject(stage: Stage): Promise<Subject> {
  const ann = new Person(stage.service, `ann-${++people}@example.com`, FIRST_PASSWORD)
  await ann.signUp()
  const client = await grantFor(ann, SCOPE)
  const tokens = new Map([
    ['first session', ann.token],
    ['first access', client.tokens.access_token],
    ['first refresh', client.tokens.refresh_token],
  ])
  return { stage, ann, client, tokens }
}

/** Each is prepared for a subject while nothing else runs; `n` tells two of a kind apart. */
export const ACTS: Readonly<Record<string, (subject: Subject, n: number) => Promise<Act>>> = {
  'sign in': async (subject, n) => {
    const browser = elsewhere(subject)
    return async () => {
      const { status } = await browser.signIn()
      if (status === 200) subject.tokens.set(`session of sign-in ${n}`, browser.token)
      return status === 200
    }
  },
  change: async (subject, n) => {
    const browser = subject.ann
    return async () => {
      const { status, body } = await browser.post('/api/auth/change-password', {
        currentPassword: FIRST_PASSWORD,
        newPassword: `the changed walk ${n}`,
        revokeOtherSessions: true,
      })
      if (status === 200) subject.tokens.set(`session of change ${n}`, body.token)
      return isDone(status)
    }
  },
  reset: async (subject, n) => {
    const browser = elsewhere(subject)
    const { email } = browser
    await browser.post('/api/auth/email-otp/request-password-reset', { email })
    const otp = await subject.stage.service.mail.linkFor(email)
    return async () => {
      const password = `the reset walk ${n}`
      return isDone(
        (await browser.post('/api/auth/email-otp/reset-password', { email, otp, password })).status,
      )
    }
  },
  verify: async (subject) => {
    const browser = elsewhere(subject)
    const { email } = browser
    await browser.post('/api/auth/email-otp/send-verification-otp', { email, type: 'email-verification' })
    const otp = await subject.stage.service.mail.linkFor(email)
    return async () => isDone((await browser.post('/api/auth/email-otp/verify-email', { email, otp })).status)
  },
  link: async ({ stage, ann }) => {
    stage.forum.resources = { '/api/user': { id: ++people, username: 'ann' } }
    const callback = await consent(await beginLink(ann, 'community'))
    return async () => {
      const { status, headers } = await ann.get(callback)
      return status === 302 && !headers.get('location')?.includes('error')
    }
  },
  bind: async ({ stage, ann }) => {
    const { body } = await stage.administrator.post('/api/admin/generate_beta_codes', { count: 1 })
    const beta_code = body.codes[0]
    return async () => isDone((await ann.post('/api/bind_beta_code', { beta_code })).status)
  },
  refresh:
    async ({ client, tokens }, n) =>
    async () => {
      const { status, body } = await client.refresh()
      if (status !== 200) return isDone(status)
      tokens.set(`access of refresh ${n}`, body.access_token)
      tokens.set(`refresh of refresh ${n}`, body.refresh_token)
      return true
    },
  revoke: async (subject) => {
    const browser = elsewhere(subject)
    return async () => isDone((await revoke(browser, subject.client.tokens.access_token)).status)
  },
  approve: async (subject) => {
    const device = await startDevice(subject.ann, SCOPE)
    return async () => isDone((await decideDevice(subject.ann, device.body.user_code, true)).status)
  },
  redeem: async (subject, n) => {
    const browser = elsewhere(subject)
    const { code, verifier } = await approvedCode(subject.ann, [SCOPE])
    return async () => {
      const { status, body } = await redeem(browser, code, verifier)
      if (status === 200) subject.tokens.set(`access of redeem ${n}`, body.access_token)
      return isDone(status)
    }
  },
  move:
    async ({ stage, ann }) =>
    async () => {
      const outcome = await moveUser(stage.service.platform, ann.id, 'oc-1').catch(refusedMove)
      return outcome === 'moved'
    },
  'submit feedback':
    async ({ ann }) =>
    async () => {
      const { status, headers } = await ann.post('/api/submit_feedback', { type: 'idea', content: 'Hello' })
      // While the user is moved a write is asked to come again.
      return status === 503 && headers.has('retry-after') ? false : isDone(status)
    },
  erase:
    async ({ ann }) =>
    async () =>
      isDone((await ann.post('/api/auth/delete-user', { password: FIRST_PASSWORD })).status),
  suspend:
    async ({ stage, ann }) =>
    async () => {
      const body = { id: ann.id, reason: 'Sent spam.' }
      return isDone((await stage.administrator.post('/api/admin/suspend_user', body)).status)
    },
}

/** Another browser, which meets another process. */
function elsewhere({ stage, ann }: Subject): Person {
  return new Person({ request: stage.service.requestElsewhere }, ann.email, FIRST_PASSWORD)
}

function isDone(status: number): boolean {
  if (status >= 500) throw new Error(`answered ${status}`)
  return status < 300
}

function refusedMove(error: unknown): 'refused' {
  if (error instanceof Error && /^(NotToBeMoved|MoveRefused|MoveTakenOver)$/.test(error.name))
    return 'refused'
  throw error
}
