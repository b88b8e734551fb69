import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { openPatiently, whileUserIsHeld } from '../../postgres/held-user.ts'
import { enableProvider, linkVia, whoIs } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { assertRefused } from '../../service/answers.ts'
import { changeSettings } from '../../service/change-settings.ts'
import * as grants from '../../service/grants.ts'
import { it as base } from '../../service/it.ts'
import { inNewBrowser } from '../../service/new-browser.ts'
import { type Answer, type Person, people } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'
import { reset, resetCodeFor } from '../support/codes.ts'
import { asImported, fiveBrowsers } from '../support/imported.ts'

const SCOPE = 'account:profile:read'
const NEW_PASSWORD = 'a quieter walk in the snow'

interface World {
  readonly service: Service
  readonly administrator: Person
  readonly ann: Person
  readonly ben: Person
  /** Ann's password in another browser, not signed in. */
  readonly thief: Person
}

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
type Act = () => Promise<Answer<any>>
type Prepare = (w: World) => Promise<Act>

const it = base.extend<{ readonly w: World }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  w: async ({}, use) => {
    await using forum = await startPlainProvider('community', { '/api/user': { id: 7, username: 'eve' } })
    const env = { COMMUNITY_AUTH_URL: forum.url }
    await using service = await startService({ env, open: openPatiently })
    await changeSettings(service, 'email', { provider: 'smtp' })
    await enableProvider(service, 'community')
    const all = await people(service)
    await use({ service, ...all, thief: inNewBrowser(service, all.ann) })
  },
})

const signIn: Prepare = async ({ thief }) => thief.signIn.bind(thief, {})
const poll: Prepare = async ({ ann, ben }) => {
  const { body } = await grants.startDevice(ann, SCOPE)
  await grants.decideDevice(ann, body.user_code, true)
  return () => grants.poll(ben, body.device_code)
}

const deleteUser = (person: Person) => person.post('/api/auth/delete-user', { password: person.password })
const deletion: Prepare = async ({ ann }) => {
  return () => deleteUser(ann)
}
const change: Prepare = async ({ ann }) => {
  const sent = { currentPassword: ann.password, newPassword: NEW_PASSWORD, revokeOtherSessions: true }
  return () => ann.post('/api/auth/change-password', sent)
}
const byCode: Prepare = async ({ service, ann }) => {
  const otp = await resetCodeFor(service, ann)
  return () => reset(ann, otp, NEW_PASSWORD)
}

/** Both acts wait for Ann's row, in the given order; neither is a fault, and no token or session works after both. */
async function race(w: World, order: 'before' | 'after', prepare: Prepare, prepareEnd: Prepare) {
  const act = await prepare(w)
  const end = await prepareEnd(w)
  const acts = order === 'before' ? [act, end] : [end, act]

  const answers = await whileUserIsHeld(w.service, w.ann.id, acts)

  const statuses = answers.map(({ status }) => status)
  assert.ok(statuses.every((status) => status < 500) && statuses.includes(200), `statuses: ${statuses}`)
  assert.equal(await whoIs(w.thief), undefined)
  for (const { access_token, refresh_token } of answers.map(({ body }) => body)) {
    if (access_token) assert.equal(await grants.userBehind(w.ben, access_token), undefined)
    if (refresh_token) assert.equal((await grants.refreshWith(w.ben, refresh_token)).status, 400)
  }
  return statuses
}

for (const order of ['before', 'after'] as const) {
  describe(`what waits for the user’s row ${order} the act that ends access`, () => {
    for (const [what, prepare] of Object.entries<Prepare>({
      'a poll of an approved device': poll,
      begin_authorization: async ({ ann }) => {
        return () => ann.post('/api/oauth/begin_authorization', grants.authorizationQuery([SCOPE]))
      },
      'a new authenticator app': async ({ ann }) => {
        return () => ann.post('/api/auth/two-factor/enable')
      },
      'the beginning of a link': async ({ ann }) => {
        return () => ann.post('/api/auth/link-social', { provider: 'community' })
      },
    })) {
      it(`checklist 84: leaves nothing of a user who is deleted: ${what}`, async ({ w }) => {
        await race(w, order, prepare, deletion)

        await assertGone(w.service, w.ann.id)
        assert.equal(await linkVia(w.ben, 'community'), '/')
      })
    }

    it('checklist 84: leaves nothing of a user who is deleted: a notification', async ({ w }) => {
      const sent = { title: 'One', content: 'For Ann.', target_user_id: w.ann.id }
      const notify = () => w.administrator.post('/api/admin/create_notification', sent)

      await race(w, order, async () => notify, deletion)

      assertRefused(await notify(), 'INVALID_REQUEST', 'target_user_id')
      assert.equal((await w.administrator.post('/api/admin/list_notifications')).body.total, 0)
    })

    for (const [what, newPassword] of Object.entries({ change, reset: byCode })) {
      it(`checklist 69: leaves no session of a sign-in with the old password: ${what}`, async ({ w }) => {
        await race(w, order, signIn, newPassword)

        if (what === 'change') assert.equal((await whoIs(w.ann)).id, w.ann.id)
      })
    }

    it('checklist 69: can be a deletion with the old password: either it or the change is done', async ({ w }) => {
      await w.thief.signIn()

      const statuses = await race(w, order, async () => () => deleteUser(w.thief), change)

      assert.equal(statuses.filter((status) => status === 200).length, 1)
    })

    it('checklist 68: leaves no grant of an approval after the reset', async ({ w }) => {
      await w.thief.signIn()
      const { body } = await grants.startDevice(w.ben, SCOPE)
      const approve = () => grants.decideDevice(w.thief, body.user_code, true)

      await race(w, order, async () => approve, byCode)

      assert.equal((await grants.poll(w.ben, body.device_code)).status, 400)
    })
  })
}

describe('a user who came with an import', () => {
  it('gets in by each of five first sign-ins at once', async ({ w }) => {
    const browsers = await fiveBrowsers(w.service, await asImported(w.service, w.ann))

    const answers = await Promise.all(browsers.map((browser) => browser.signIn()))

    for (const { status } of answers) assert.equal(status, 200)
    for (const browser of browsers) assert.equal((await whoIs(browser)).id, w.ann.id)
  })
})

async function assertGone({ platform: { meta } }: Service, userId: string): Promise<void> {
  for (const table of ['session', 'account', 'api_grant', 'authorization_request'] as const) {
    const rows = await meta.primary.selectFrom(table).select('id').where('user_id', '=', userId).execute()
    assert.deepEqual([table, rows], [table, []])
  }
  const users = meta.primary.selectFrom('user').select('id').where('id', '=', userId)
  assert.deepEqual(await users.execute(), [])
}
