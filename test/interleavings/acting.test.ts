import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { addressesIn, referenceOf, SET_ACTIVE, signInAs } from '../service/accounts.ts'
import { actAs, copyOf, stopActing } from '../service/acting.ts'
import { changeSettings } from '../service/change-settings.ts'
import { inNewBrowser } from '../service/new-browser.ts'
import { type Answer, newcomer, type Person } from '../service/people.ts'
import { onStaff, proven } from '../service/staff.ts'
import { atOnce, it } from './it.ts'
import type { ScheduledStage } from './stage.ts'

const ORDERS = 30

interface Cast {
  readonly stage: ScheduledStage
  /** The browser from which the administrator acts as Ann. */
  readonly administrator: Person
  /** Another browser of the administrator, which does not act. */
  readonly elsewhere: Person
  readonly ann: Person
  readonly ben: Person
}

type Act = (cast: Cast) => Promise<Answer<{ readonly code?: string }>>

const GET_SESSION = '/api/auth/get-session'

/** The one locks the session too, the other the user alone. */
const WRITES = {
  'changes the name': ({ administrator }) => administrator.post('/api/auth/update-user', { name: 'Changed' }),
  'makes an organisation': ({ administrator }) =>
    administrator.post('/api/auth/organization/create', { name: 'Changed', slug: 'changed' }),
} satisfies Readonly<Record<string, Act>>

/** What ends the acting. */
const ENDS = {
  'a suspension': ({ elsewhere, ann }) =>
    elsewhere.post('/api/admin/suspend_user', { id: ann.id, reason: 'Sent spam.' }),
  'a deletion': ({ elsewhere, ann }) => elsewhere.post('/api/admin/delete_user', { id: ann.id }),
  'the end of the administrator’s session': ({ elsewhere }) => elsewhere.post('/api/auth/revoke-other-sessions'),
  'the user’s sign-out everywhere': ({ ann }) => ann.post('/api/auth/revoke-sessions'),
  'the user’s sign-out elsewhere': ({ ann }) => ann.post('/api/auth/revoke-other-sessions'),
  'a stop in another window': (cast) => stopActing(copyOf(cast.stage.service, cast.administrator)),
  'a sign-out in another window': (cast) => copyOf(cast.stage.service, cast.administrator).post('/api/auth/sign-out'),
  'the setting': ({ elsewhere }) => save(elsewhere, { impersonation: 'off' }),
  'a place on the staff': ({ elsewhere, ann }) =>
    elsewhere.post('/api/admin/update_staff', { user_id: ann.id, scopes: ['admin:users:read'] }),
} satisfies Readonly<Record<string, Act>>

async function save(by: Person, fields: object): Promise<Answer<{ readonly code?: string }>> {
  const { body } = await by.post('/api/admin/get_authentication_config')
  return by.post('/api/admin/update_authentication_config', { expected_version: body.version, ...fields })
}

async function castOn(stage: ScheduledStage): Promise<Cast> {
  stage.startOver()
  const { service, administrator } = stage
  await changeSettings(service, 'authentication', { impersonation: 'read_and_write', accounts_per_browser: 2 })
  await changeSettings(service, 'organizations', { creation: 'everyone' })
  const ann = await newcomer(service, 'ann@example.com')
  const ben = await newcomer(service, 'ben@example.com')
  await proven(service, ann)
  await administrator.post('/api/auth/confirm', { password: administrator.password })
  const elsewhere = inNewBrowser(service, administrator)
  await elsewhere.signIn()
  return { stage, administrator, elsewhere, ann, ben }
}

async function both(cast: Cast, acts: readonly [Act, Act], n: number) {
  const { answers, words } = await atOnce(
    cast.stage,
    acts.map((act) => () => act(cast)),
    n,
  )
  const told = answers.map(({ status }) => status)
  return { told, words: `${words}: ${told.join(' ')}` }
}

/** Whether the cookies of the browser still act as Ann. */
async function isActing({ stage, administrator, ann }: Cast): Promise<boolean> {
  const { body } = await copyOf(stage.service, administrator).get(GET_SESSION)
  return body?.user.id === ann.id
}

/** How much was changed, and how much of it Ann would see. */
async function tracesOf({ stage, ann }: Cast): Promise<readonly number[]> {
  const { primary } = stage.service.platform.meta
  const [users, organizations, acts] = await Promise.all([
    primary.selectFrom('user').select('id').where('id', '=', ann.id).where('name', '=', 'Changed').execute(),
    primary.selectFrom('organization').select('id').where('name', '=', 'Changed').execute(),
    primary.selectFrom('impersonation_act').select('id').where('user_id', '=', ann.id).execute(),
  ])
  return [users.length + organizations.length, acts.length]
}

async function rowsOf({ stage, ann }: Cast): Promise<readonly unknown[]> {
  const { primary } = stage.service.platform.meta
  const ofAnn = [
    primary.selectFrom('session').select('id').where('user_id', '=', ann.id),
    primary.selectFrom('impersonation').select('id').where('user_id', '=', ann.id),
    primary.selectFrom('impersonation_act').select('id').where('user_id', '=', ann.id),
  ] as const
  return (await Promise.all(ofAnn.map((query) => query.execute()))).flat()
}

describe('133. acting as a user, statement by statement', () => {
  const ends = Object.keys(ENDS) as (keyof typeof ENDS)[]
  const pairs = [
    ...ends.map((end) => ['makes an organisation', end] as const),
    ...(['a suspension', 'a deletion'] as const).map((end) => ['changes the name', end] as const),
  ]

  it.for(pairs)(
    'the administrator who acts %s beside %s: it is done and noted, or neither',
    async ([write, end], { stage }) => {
      for (let n = 0; n < ORDERS; n++) {
        const cast = await castOn(stage)
        await actAs(cast.administrator, cast.ann, { write: true })

        const { told, words } = await both(cast, [WRITES[write], ENDS[end]], n)

        const [first = 0, second] = told
        assert.equal(second, 200, words)
        assert.ok([200, 401, 403, 404].includes(first), words)
        assert.equal(await isActing(cast), false, words)
        if (end !== 'a deletion') assert.deepEqual(await tracesOf(cast), first === 200 ? [1, 1] : [0, 0], words)
        else assert.deepEqual(await rowsOf(cast), [], words)
      }
    },
  )

  const bars = [
    'a suspension',
    'a deletion',
    'the end of the administrator’s session',
    'the setting',
    'a place on the staff',
  ] as const

  it.for(bars)('the beginning beside %s: nobody acts as the user afterwards', async (bar, { stage }) => {
    for (let n = 0; n < ORDERS; n++) {
      const cast = await castOn(stage)
      const begin: Act = ({ administrator, ann }) => actAs(administrator, ann)

      const { told, words } = await both(cast, [begin, ENDS[bar]], n)

      assert.equal(told[1], 200, words)
      assert.ok([200, 401, 403, 404].includes(told[0] ?? 0), words)
      assert.equal(await isActing(cast), false, words)
    }
  })

  it('two beginnings in one session: only the later one lasts', async ({ stage }) => {
    for (let n = 0; n < ORDERS; n++) {
      const cast = await castOn(stage)
      const { administrator, ann, ben } = cast
      const copies = [copyOf(stage.service, administrator), copyOf(stage.service, administrator)] as const
      const { words } = await both(cast, [() => actAs(copies[0], ann), () => actAs(copies[1], ben)], n)

      const seen = await Promise.all(copies.map((copy) => copy.get(GET_SESSION)))
      const acting = seen.filter(({ body }) => body?.session.impersonatedBy)
      assert.equal(acting.length, 1, words)
      const { meta } = stage.service.platform
      const open = await meta.primary.selectFrom('impersonation').select('id').where('ended_at', 'is', null).execute()
      assert.deepEqual(
        open.map(({ id }) => id),
        acting.map(({ body }) => body.session.id),
        words,
      )
    }
  })

  const signOut: Act = ({ elsewhere, ann }) => elsewhere.post('/api/admin/revoke_user_sessions', { id: ann.id })

  it.for([
    ['the user’s sign-out everywhere', ENDS['the user’s sign-out everywhere']],
    ['a suspension', ENDS['a suspension']],
    ['a sign-out by the administrator', signOut],
  ] as const)(
    'a browser that switches to an account beside %s keeps the other account alone',
    async ([, end], { stage }) => {
      for (let n = 0; n < ORDERS; n++) {
        const cast = await castOn(stage)
        const { ann, ben } = cast
        const browser = inNewBrowser(stage.service, ben)
        await signInAs(browser, ann)
        await signInAs(browser, ben)
        const sessionToken = await referenceOf(browser, ann)

        const { told, words } = await both(cast, [() => browser.post(SET_ACTIVE, { sessionToken }), end], n)

        assert.equal(told[1], 200, words)
        assert.ok([200, 401].includes(told[0] ?? 0), words)
        assert.deepEqual(await addressesIn(browser), [ben.email], words)
      }
    },
  )

  it('a member of the staff is acted as only after the removal', async ({ stage }) => {
    for (let n = 0; n < ORDERS; n++) {
      const cast = await castOn(stage)
      const { administrator, elsewhere, ann } = cast
      await onStaff(stage.service, elsewhere, ann, 'admin:users:read')
      const remove: Act = () => elsewhere.post('/api/admin/update_staff', { user_id: ann.id, scopes: [] })
      const { told, words } = await both(cast, [() => actAs(administrator, ann), remove], n)

      assert.equal(told[1], 200, words)
      assert.equal(await isActing(cast), told[0] === 200, words)
    }
  })
})
