import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { contentsListed, submitted } from '../../../../test/service/feedback.ts'
import { it as withService } from '../../../../test/service/it.ts'
import { Person, type people, stranger } from '../../../../test/service/people.ts'
import { restarted } from '../../../../test/service/restarted.ts'
import type { Service } from '../../../../test/service/service.ts'
import { prepareStores } from '../../../prepare.ts'
import { moveUser } from '../moves/moving.ts'

/** The administrator and Ann live in apac-1, Ben in weur-1. */
const it = withService.extend<{ persons: Awaited<ReturnType<typeof people>> }>({
  persons: async ({ service, persons }, use) => {
    await moveUser(service.platform, persons.ben.id, 'weur-1')
    await submitted(persons.ann, 'From apac')
    await submitted(persons.ben, 'From weur')
    await use(persons)
  },
})

/** What a process with this SHARDS and SHARDS_WITHOUT opens. */
function without({ platform, config }: Service, missing: string, shardsWithout: readonly string[]) {
  const shards = new Map([...platform.shards].filter(([id]) => id !== missing))
  return {
    config: { shards: config.shards.filter(({ id }) => id !== missing), shardsWithout },
    platform: { shards },
  }
}

async function startWithout(service: Service, missing: string, shardsWithout: readonly string[] = []) {
  const { config, platform } = without(service, missing, shardsWithout)
  const { meta, now } = service.platform
  await prepareStores({ ...service.config, ...config }, { meta, ...platform }, now, 1)
  return restarted(service, { config, platform })
}

describe('119. SHARDS without a shard', () => {
  it('in which users live stops the start, and says why', async ({ service, ben }) => {
    const words =
      'users live in weur-1, but SHARDS does not name it; correct SHARDS, or set SHARDS_WITHOUT=weur-1 to start without the data of these users'
    await assert.rejects(startWithout(service, 'weur-1'), { name: 'OperatorError', message: words })
    await assert.rejects(startWithout(service, 'weur-1', ['oc-1']), { name: 'OperatorError' })

    await moveUser(service.platform, ben.id, 'apac-1')
    assert.deepEqual((await startWithout(service, 'weur-1')).said, [])
  })

  it('in which nobody lives starts, and lists are whole', async ({ service, administrator }) => {
    const started = await startWithout(service, 'oc-1')
    const browser = new Person(started, administrator.email, administrator.password)
    await browser.signIn()

    assert.deepEqual(started.said, [])
    assert.deepEqual((await contentsListed(browser)).toSorted(), ['From apac', 'From weur'])
  })

  it('that SHARDS_WITHOUT names gives its users a clear 503; everything else goes on', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const started = await startWithout(service, 'weur-1', ['weur-1'])
    const [admin, anns, bens] = [administrator, ann, ben].map(
      ({ email, password }) => new Person(started, email, password),
    )
    assert.ok(admin && anns && bens)
    for (const one of [admin, anns, bens]) assert.equal((await one.signIn()).status, 200)

    const refused = await bens.post('/api/submit_feedback', { type: 'idea', content: 'Hello' })
    assertRefused(refused, 'STORE_UNAVAILABLE')
    assert.match(refused.body.message, /weur-1, which this service runs without for now/)
    assert.ok(Number(refused.headers.get('retry-after')) >= 60)
    assert.equal((await bens.get('/api/auth/get-session')).status, 200)
    await submitted(anns, 'More')
    assert.deepEqual((await contentsListed(admin)).toSorted(), ['From apac', 'More'])
    const { body } = await admin.post('/api/admin/get_overview')
    assert.deepEqual([body.new_feedbacks, body.users], [2, 3])
    assert.match(body.troubles[0].words, /^weur-1 is left out by SHARDS_WITHOUT/)
    assert.deepEqual(body.troubles, started.said)
    const carl = stranger(service)
    assert.equal((await new Person(started, carl.email, carl.password).signUp()).status, 200)
    for (const path of ['list_shards', 'list_users', 'list_audit_entries', 'get_authentication_config'])
      assert.equal((await admin.post(`/api/admin/${path}`)).status, 200, path)
  })

  it('in which the administrator lives leaves the console whole', async ({ service, administrator, ann }) => {
    const started = await startWithout(service, 'apac-1', ['apac-1'])
    const admin = new Person(started, administrator.email, administrator.password)
    const anns = new Person(started, ann.email, ann.password)
    for (const one of [admin, anns]) assert.equal((await one.signIn()).status, 200)

    assert.deepEqual(await contentsListed(admin), ['From weur'])
    for (const path of ['get_overview', 'list_shards', 'list_users', 'list_audit_entries', 'get_email_config'])
      assert.equal((await admin.post(`/api/admin/${path}`)).status, 200, path)
    await admin.saveSettings('authentication', { registration_enabled: false })
    assertRefused(await admin.post('/api/list_notifications'), 'STORE_UNAVAILABLE')
    assertRefused(await anns.post('/api/admin/list_users'), 'FORBIDDEN')
  })
})
