import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { openPatiently, whileUserIsHeld } from '../postgres/held-user.ts'
import { begin, consent, land, linkVia } from '../providers/journey.ts'
import { addApp, verifyBackupCode, verifyTotp } from '../service/devices/factors.ts'
import type { Person } from '../service/people.ts'
import type { Service } from '../service/service.ts'
import { GET_SESSION, it, NEW_PASSWORD, type World } from './support/house.ts'

type Act = () => Promise<{ readonly said: string }>

/** Each prepared up to the last request, whose answer is `signed in` or a code. */
const WAYS: Readonly<Record<string, (world: World, elsewhere: Person) => Promise<Act>>> = {
  'a password': async (_, elsewhere) => passwordOf(elsewhere),
  'a password, before the second step': async ({ service, ann }, elsewhere) => {
    await addApp(service, ann)
    return passwordOf(elsewhere)
  },
  'the code of an app': async ({ service, ann }, elsewhere) => {
    const app = await addApp(service, ann)
    await elsewhere.signIn()
    return async () => saidBy(await verifyTotp(elsewhere, app.code()))
  },
  'a backup code': async ({ service, ann }, elsewhere) => {
    const { backupCodes } = await addApp(service, ann)
    await elsewhere.signIn()
    return async () => saidBy(await verifyBackupCode(elsewhere, backupCodes[0] ?? ''))
  },
  'a provider': async ({ ann }, elsewhere) => {
    await linkVia(ann, 'community')
    const callback = await consent(await begin(elsewhere, 'community'))
    return async () => {
      const landed = new URL((await land(elsewhere, callback)) ?? '', 'http://here.example')
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

const canHold = ({ config }: Service) => config.databaseUrl?.startsWith('postgres') ?? false

describe('a sign-in that a suspension overtakes', () => {
  it.override('more', { open: openPatiently })

  it.for(Object.entries(WAYS))(
    'says so after %s, and opens nothing',
    async ([, prepare], { world, service, ann, browser }) => {
      const elsewhere = browser()
      const signIn = await prepare(world, elsewhere)

      const [, answer] = await whileUserIsHeld(service, ann.id, [suspend(world), signIn])

      // On an embedded store either can be first; `test/interleavings` goes through the orders.
      const allowed = canHold(service) ? ['ACCOUNT_SUSPENDED'] : ['ACCOUNT_SUSPENDED', 'signed in']
      assert.ok(allowed.includes(answer?.said ?? ''), answer?.said)
      assert.equal((await elsewhere.get(GET_SESSION)).body, null)
    },
  )

  it('does not say so if the password was replaced at the same moment', async ({ world, browser }) => {
    const { service, ann, ben } = world
    const { email } = ann
    const elsewhere = browser()
    await ann.post('/api/auth/email-otp/request-password-reset', { email })
    const sent = { email, otp: await service.mail.codeFor(email), password: NEW_PASSWORD }
    const reset = async () => saidBy(await ben.post('/api/auth/email-otp/reset-password', sent))

    const acts = [reset, suspend(world), passwordOf(elsewhere)]
    const [, , answer] = await whileUserIsHeld(service, ann.id, acts)

    if (canHold(service)) assert.equal(answer?.said, 'INVALID_EMAIL_OR_PASSWORD')
    assert.equal((await elsewhere.get(GET_SESSION)).body, null)
  })
})
