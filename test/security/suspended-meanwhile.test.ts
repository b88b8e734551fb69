import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { openPatiently, whileUserIsHeld } from '../postgres/held-user.ts'
import { begin, consent, enableProvider, linkVia } from '../providers/journey.ts'
import { startPlainProvider } from '../providers/plain-provider.ts'
import { changeSettings } from '../service/change-settings.ts'
import { addApp, verifyBackupCode, verifyTotp } from '../service/devices/factors.ts'
import { Person, people } from '../service/people.ts'
import { startService } from '../service/service.ts'

const NEW_PASSWORD = 'a quieter walk in the snow'

async function world() {
  const stack = new AsyncDisposableStack()
  const forum = stack.use(await startPlainProvider('community', { '/api/user': { id: 7, username: 'ann' } }))
  const service = stack.use(
    await startService({ env: { COMMUNITY_AUTH_URL: forum.url }, open: openPatiently }),
  )
  await changeSettings(service, 'email', { provider: 'smtp' })
  await enableProvider(service, 'community')
  const all = await people(service)
  const elsewhere = new Person(service, all.ann.email, all.ann.password)
  return { service, ...all, elsewhere, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

type World = Awaited<ReturnType<typeof world>>
type Act = () => Promise<{ readonly said: string }>

/** Each prepared up to the last request, whose answer is `signed in` or a code. */
const WAYS: Readonly<Record<string, (world: World) => Promise<Act>>> = {
  'a password': async ({ elsewhere }) => passwordOf(elsewhere),
  'a password, before the second step': async ({ service, ann, elsewhere }) => {
    await addApp(service, ann)
    return passwordOf(elsewhere)
  },
  'the code of an app': async ({ service, ann, elsewhere }) => {
    const app = await addApp(service, ann)
    await elsewhere.signIn()
    return async () => saidBy(await verifyTotp(elsewhere, app.code()))
  },
  'a backup code': async ({ service, ann, elsewhere }) => {
    const { backupCodes } = await addApp(service, ann)
    await elsewhere.signIn()
    return async () => saidBy(await verifyBackupCode(elsewhere, backupCodes[0] ?? ''))
  },
  'a provider': async ({ ann, elsewhere }) => {
    await linkVia(ann, 'community')
    const callback = await consent(await begin(elsewhere, 'community'))
    return async () => {
      const { headers } = await elsewhere.get(callback)
      const landed = new URL(headers.get('location') ?? '', 'http://here.example')
      return { said: landed.searchParams.get('error')?.toUpperCase() ?? 'signed in' }
    }
  },
}

function passwordOf(person: Person): Act {
  return async () => saidBy(await person.signIn())
}

function saidBy({ status, body }: { readonly status: number; readonly body: { readonly code?: string } }) {
  return { said: status === 200 ? 'signed in' : (body.code ?? String(status)) }
}

function suspend({ administrator, ann }: World): Act {
  const body = { id: ann.id, reason: 'Sent spam.' }
  return async () => saidBy(await administrator.post('/api/admin/suspend_user', body))
}

describe('a sign-in that a suspension overtakes', () => {
  for (const [way, prepare] of Object.entries(WAYS)) {
    it(`says so after ${way}, and opens nothing`, async () => {
      await using w = await world()
      const signIn = await prepare(w)

      const [, answer] = await whileUserIsHeld(w.service, w.ann.id, [suspend(w), signIn])

      // On an embedded store either can be first; `test/interleavings` goes through the orders.
      const allowed = canHold(w) ? ['ACCOUNT_SUSPENDED'] : ['ACCOUNT_SUSPENDED', 'signed in']
      assert.ok(allowed.includes(answer?.said ?? ''), answer?.said)
      assert.equal((await w.elsewhere.get('/api/auth/get-session')).body, null)
    })
  }

  it('does not say so to a user whose password was replaced at the same moment', async () => {
    await using w = await world()
    const { email } = w.ann
    await w.ann.post('/api/auth/email-otp/request-password-reset', { email })
    const sent = { email, otp: await w.service.mail.codeFor(email), password: NEW_PASSWORD }
    const reset = async () => saidBy(await w.ben.post('/api/auth/email-otp/reset-password', sent))

    const acts = [reset, suspend(w), passwordOf(w.elsewhere)]
    const [, , answer] = await whileUserIsHeld(w.service, w.ann.id, acts)

    if (canHold(w)) assert.equal(answer?.said, 'INVALID_EMAIL_OR_PASSWORD')
    assert.equal((await w.elsewhere.get('/api/auth/get-session')).body, null)
  })
})

function canHold({ service }: World): boolean {
  return service.config.databaseUrl?.startsWith('postgres') ?? false
}
