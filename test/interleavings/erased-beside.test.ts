import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { bearer, CALLBACK, codeFor, register, tokenRequest } from '../service/applications.ts'
import { tablesNaming } from '../service/stores/tables.ts'
import { ACCOUNT_ACTS, beginningOf } from './account-acts.ts'
import { ACTS, type Act, elsewhere, newSubject, outcomeOf, type Subject } from './acts.ts'
import { InterruptedEngine, Interruption } from './engines/interrupted-engine.ts'
import { openAllWrapped } from './engines/open-wrapped.ts'
import { openStage, type Stage } from './stage.ts'

/**
 * Rows that outlive a user with nothing but an opaque id; the last of them until applications are notified, or a
 * limit's window ends.
 */
const MEMORIALS = ['erasure', 'event', 'residents', 'webhook_delivery', 'application_sign_in', 'key_value']
/** Counted by address, until the end of the day. */
const COUNTED = ['code_letters', 'code_guesses']

/** Other writes of rows about a user: by others for the user, and by the background. */
const OTHER_ACTS: Readonly<Record<string, (subject: Subject, n: number) => Promise<Act>>> = {
  'submit with a key': async ({ ann }) => {
    const key = { 'idempotency-key': 'one' }
    return async () => outcomeOf(await ann.post('/api/submit_feedback', { type: '', content: 'Hello' }, key))
  },
  'read a notification': async ({ stage, ann }) => {
    const { body } = await stage.administrator.post('/api/admin/create_notification', {
      title: 'A',
      content: 'B',
    })
    return async () => outcomeOf(await ann.post('/api/read_notification', { id: body.id }))
  },
  'choose letters':
    async ({ ann }) =>
    async () =>
      outcomeOf(await ann.post('/api/update_notification_preferences', { items: [{ type: 'a', email: 'daily' }] })),
  'announce to the user': async ({ stage, ann }, n) => {
    await verified(stage, ann.id)
    return async () => {
      const sent = { title: `A ${n}`, content: 'B', target_user_id: ann.id, also_email: true }
      const outcome = outcomeOf(await stage.administrator.post('/api/admin/create_notification', sent))
      await stage.service.runJob('announcements')
      return outcome
    }
  },
  'announce to all': async ({ stage, ann }, n) => {
    await verified(stage, ann.id)
    const daily = { items: [{ type: '', email: 'daily' }] }
    if (n % 2 === 0) await ann.post('/api/update_notification_preferences', daily)
    const sent = { title: `A ${n}`, content: 'B', also_email: true }
    await stage.administrator.post('/api/admin/create_notification', sent)
    return async () => {
      await stage.service.runJob('announcements')
      return 'done'
    }
  },
  'send a digest': async ({ stage, ann }, n) => {
    await verified(stage, ann.id)
    await ann.post('/api/update_notification_preferences', { items: [{ type: '', email: 'daily' }] })
    const sent = { title: `A ${n}`, content: 'B', also_email: true }
    await stage.administrator.post('/api/admin/create_notification', sent)
    await stage.service.runJob('announcements')
    stage.service.clock.advance({ hours: 25 })
    await stage.administrator.signIn()
    return async () => {
      await stage.service.runJob('announcements')
      return 'done'
    }
  },
  'answer feedback': async ({ stage, ann }) => {
    const { body } = await ann.post('/api/submit_feedback', { type: '', content: 'Hello' })
    const sent = { id: body.id, user_id: ann.id, text: 'Thanks' }
    return async () => outcomeOf(await stage.administrator.post('/api/admin/reply_to_feedback', sent))
  },
  'give credits':
    async ({ stage, ann }) =>
    async () => {
      const sent = { id: ann.id, amount: 1, note: 'One' }
      return outcomeOf(await stage.administrator.post('/api/admin/give_credits', sent))
    },
  'relay events': async ({ stage, ann }) => {
    await ann.post('/api/submit_feedback', { type: '', content: 'Hello' })
    return async () => {
      await stage.service.runJob('events')
      return 'done'
    }
  },
  export:
    async ({ ann }) =>
    async () =>
      outcomeOf(await ann.post('/api/export_account')),
  'call of a tool': async (subject) => {
    const { client, stage } = subject
    return async () => {
      const answer = await elsewhere(subject).get('/api/auth/get-session', bearer(client.tokens.access_token))
      await stage.service.runJob('grant-acts')
      return outcomeOf(answer)
    }
  },
  'sign in at an application': async ({ stage, ann }, n) => {
    const fields = { backchannel_logout_uri: 'https://shop.example/logout' }
    const shop = await register(stage.administrator, { ...fields, name: `Shop ${n}` })
    const { code, verifier: code_verifier } = await codeFor(ann, shop)
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier }
    return async () => outcomeOf(await tokenRequest(ann, shop, form))
  },
}

async function verified({ administrator }: Subject['stage'], id: string): Promise<void> {
  await administrator.post('/api/auth/confirm', { password: administrator.password })
  const { status } = await administrator.post('/api/admin/mark_verified', { id })
  assert.equal(status, 200)
}

describe('a user who is erased before any statement of another act', () => {
  const acts = Object.entries({ ...ACTS, ...ACCOUNT_ACTS, ...OTHER_ACTS })
  // An invitation makes a new user with the address of the one who is gone.
  for (const [name, prepare] of acts.filter(([name]) => name !== 'erase' && name !== 'invite again'))
    it(`checklist 129: is nowhere afterwards: ${name}`, async () => {
      const interruption = new Interruption()
      await using stage = await openStage({
        open: (config) => openAllWrapped(config, (engine) => new InterruptedEngine(engine, interruption)),
      })

      for (let n = 1, statements = n; n <= statements; n++) {
        const subject = await newSubject(stage, beginningOf(name))
        const act = await prepare(subject, n)
        await interruption.run(n, () => erase(subject), act)
        statements = interruption.statements
        // Fewer than before: what the first act made is still there.
        if (n > statements) return
        await runAfterwards(stage)

        assert.deepEqual(await tablesWith(subject), [], `statement ${n} of ${statements}`)
      }
    })
})

async function erase({ stage, ann: { id } }: Subject): Promise<void> {
  const { status } = await stage.administrator.post('/api/admin/delete_user', { id })
  assert.equal(status, 200)
  await stage.service.runJob('erasure')
}

async function runAfterwards({ service }: Stage): Promise<void> {
  for (const job of ['events', 'mail', 'announcement-mail', 'erasure']) await service.runJob(job)
}

async function tablesWith({ stage, ann: { id, email } }: Subject): Promise<readonly string[]> {
  const { platform } = stage.service
  const [byId, byEmail] = [await tablesNaming(platform, id), await tablesNaming(platform, email)]
  const isLeftBy = (known: readonly string[]) => (table: string) => !known.includes(table.split('.')[1] ?? '')
  return [...byId.filter(isLeftBy(MEMORIALS)), ...byEmail.filter(isLeftBy(COUNTED))]
}
