import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { Interruption } from '../../interleavings/engines/interrupted-engine.ts'
import { startInterruptible } from '../../interleavings/interruptible.ts'
import { openPatiently, whileHeld } from '../../postgres/held-user.ts'
import { codeFor, queryFor, register } from '../../service/applications.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { authorizationQuery, newVerifier, startDevice } from '../../service/grants.ts'
import { type Answer, type Person, people } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'

const SCOPE = 'account:profile:read'
const OPEN = { second_factor: 'optional', beta_gate_enabled: false } as const
const interruption = new Interruption()

const interruptible = () => startInterruptible(interruption)

async function world(start: () => Promise<Service>) {
  const service = await start()
  const { administrator, ann } = await people(service)
  const shop = await register(administrator)
  await codeFor(ann, shop)
  const { meta } = service.platform
  /** Everything approved, allowed or made so far. */
  const given = async () => {
    const approved = meta.primary
      .selectFrom('authorization_request')
      .select('id')
      .where('user_id', '=', ann.id)
      .where('state', '=', 'approved')
    const grants = meta.primary.selectFrom('api_grant').select('id').where('user_id', '=', ann.id)
    const rows = await approved.unionAll(grants).execute()
    return rows.map(({ id }) => id).toSorted()
  }
  const close = () => service[Symbol.asyncDispose]()
  return { service, administrator, ann, shop, given, [Symbol.asyncDispose]: close }
}

type World = Awaited<ReturnType<typeof world>>
type Ids = readonly string[]
type Act = () => Promise<Answer<{ readonly code?: string }>>

async function decision(ann: Person, query: object): Promise<Act> {
  const { body } = await ann.post('/api/oauth/begin_authorization', query)
  return () => ann.post('/api/oauth/decide_authorization', { request_id: body.request_id, approve: true })
}

const asBefore = ({ shop }: World) => queryFor(shop, newVerifier())

/** Prepares an act up to its last request. */
type Prepare = (world: World) => Promise<Act>

const consentToApplication: Prepare = ({ ann, shop }) =>
  decision(ann, queryFor(shop, newVerifier(), { prompt: 'consent' }))

const personalToken: Prepare =
  async ({ ann }) =>
  () =>
    ann.post('/api/create_personal_token', { name: 'Mine', scopes: [SCOPE], expires_in_days: 1 })

const OF_APPLICATIONS: Readonly<Record<string, Prepare>> = {
  'the consent to an application': consentToApplication,
  'a consent that is remembered': async (w) => () => w.ann.post('/api/oauth/begin_authorization', asBefore(w)),
  'a consent that is remembered, without a page': async (w) => () =>
    w.ann.get(`/oauth/authorize?${new URLSearchParams(asBefore(w))}`, { accept: 'text/html' }),
}

const OTHERS: typeof OF_APPLICATIONS = {
  'the consent to the command-line client': ({ ann }) => decision(ann, authorizationQuery([SCOPE])),
  'the approval of a device': async ({ ann }) =>
    decision(ann, { user_code: (await startDevice(ann, SCOPE)).body.user_code }),
  'a personal token': personalToken,
}

/** Reads the settings first: a save within the act would wait for the act's own reading of them. */
async function prepared(w: World, prepare: Prepare): Promise<Act> {
  const act = await prepare(w)
  await w.ann.get('/api/auth/get-session')
  return act
}

const added = (after: Ids, before: Ids) => after.filter((id) => !before.includes(id))

const SECOND_FACTOR = { second_factor: 'required' }
const GATE = { beta_gate_enabled: true }

/** Everything given after the save, which is done before each statement of the request in turn. */
async function givenLater(w: World, prepare: Prepare, fields: object) {
  const later: string[] = []
  // The first request, which nothing interrupts, says how many statements there are.
  for (let statement = 0, statements = 1; statement <= statements; statement++) {
    await changeSettings(w.service, 'authentication', OPEN)
    const act = await prepared(w, prepare)
    const before = await w.given()
    let atTheSave: Ids | undefined
    const save = async () => {
      await w.administrator.saveSettings('authentication', { ...fields })
      atTheSave = await w.given()
    }
    await interruption.run(statement, save, act)
    const after = await w.given()
    if (statement === 0) {
      assert.equal(added(after, before).length, 1)
      statements = interruption.statements
    } else {
      assert.ok(atTheSave, `statement ${statement} of ${statements}`)
      later.push(...added(after, atTheSave))
    }
  }
  return later
}

describe('checklist 103: settings that are saved while access is given decide about it', () => {
  for (const [save, fields, ways] of [
    ['a second factor becomes required', SECOND_FACTOR, OTHERS],
    ['the gate is closed', GATE, OF_APPLICATIONS],
  ] as const) {
    it(`${save}: nothing is given after that`, async () => {
      await using w = await world(interruptible)
      const later: Record<string, Ids> = {}

      for (const [way, prepare] of Object.entries(ways)) later[way] = await givenLater(w, prepare, fields)

      assert.deepEqual(Object.values(later).flat(), [], JSON.stringify(later))
    })
  }

  it('once a save has returned, what was about to commit is not given', async () => {
    await using w = await world(() => startService({ open: openPatiently }))
    for (const prepare of [consentToApplication, personalToken]) {
      await changeSettings(w.service, 'authentication', OPEN)
      const act = await prepare(w)
      let atTheSave: Ids | undefined
      const save = async () => {
        await w.administrator.saveSettings('authentication', { ...SECOND_FACTOR })
        atTheSave = await w.given()
      }

      await whileHeld<unknown>(w.service, { sql: 'lock table authorization_request, api_grant in share mode' }, [
        act,
        save,
      ])

      assert.deepEqual(await w.given(), atTheSave)
    }
  })

  it('something else is saved: access is given', async () => {
    await using w = await world(interruptible)
    for (const [way, prepare] of Object.entries({ ...OF_APPLICATIONS, ...OTHERS })) {
      const act = await prepared(w, prepare)
      const before = await w.given()

      await interruption.run(2, () => w.administrator.saveSettings('ai', { model: 'another' }), act)

      assert.equal(added(await w.given(), before).length, 1, way)
    }
  })
})
