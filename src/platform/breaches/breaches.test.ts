import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { listStolen, withPassword } from '../../../test/service/breached.ts'
import { it as withService } from '../../../test/service/it.ts'
import { Person, stranger } from '../../../test/service/people.ts'
import type { Options, Service } from '../../../test/service/service.ts'
import { temporaryFolder } from '../../../test/service/temporary-folder.ts'
import { WITH_MAIL } from '../../../test/service/with-mail.ts'
import { sha1Of } from './breaches.ts'
import { fingerprintOf } from './layout.ts'

const STOLEN = 'a heron that was seen'
const CHANGE = '/api/auth/change-password'

/** Names a file that a test can make. */
const it = withService.extend<{ options: Options }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  options: async ({}, use) => use({ env: { BREACH_LIST: join(temporaryFolder(), 'stolen.list') } }),
})

function pathOf({ config }: Service): string {
  return String(config.breachList)
}

describe('the list of stolen passwords', () => {
  it('refuses them at sign-up and at a change as soon as it is in its place, and others never', async ({
    service,
    ann,
  }) => {
    const change = (newPassword: string) => ann.post(CHANGE, { currentPassword: ann.password, newPassword })
    await listStolen(pathOf(service), [STOLEN, 'another one of these'])
    const signedUp = await new Person(service, 'dora@example.com', STOLEN).signUp()
    const [stolen, other] = [await change(STOLEN), await change(`${STOLEN}!`)]
    assert.deepEqual([signedUp.status, signedUp.body.code], [400, 'PASSWORD_COMPROMISED'])
    assert.deepEqual([stolen.status, stolen.body.code, other.status], [400, 'PASSWORD_COMPROMISED', 200])
  })

  it.override('settings', WITH_MAIL)
  it('tells who signs in with one by one letter for each password, and in the overview until it is changed', async ({
    service,
    ann,
  }) => {
    await listStolen(pathOf(service), [STOLEN])
    const there = await withPassword(service, ann, STOLEN)
    const breached = async (by: Person) => (await by.get('/api/auth/security-overview')).body.password_breached
    const letters = async () =>
      (await service.mail.sentTo(ann.email)).filter(({ subject }) => subject.includes('known to others')).length

    for (let times = 0; times < 3; times++) assert.equal((await there.signIn()).status, 200)
    assert.deepEqual([await breached(there), await letters()], [true, 1])
    const changed = await there.post(CHANGE, { currentPassword: STOLEN, newPassword: 'nobody has this one' })
    assert.deepEqual([changed.status, await breached(there)], [200, false])
    const again = await withPassword(service, ann, STOLEN)
    await again.signIn()
    assert.deepEqual([await breached(again), await letters()], [true, 2])
  })

  it.skipIf(process.platform === 'win32')(
    'is damaged and keeps nobody waiting if its path is a pipe',
    async ({ service, ann }) => {
      execFileSync('mkfifo', [pathOf(service)])

      const changed = await ann.post(CHANGE, { currentPassword: ann.password, newPassword: STOLEN })

      const { body } = await stranger(service).get('/readyz?all')
      assert.deepEqual([changed.status, body.stores['breach-list']], [200, 'degraded'])
    },
  )

  it('is degraded and refuses nothing while it is missing or damaged, and serves again once it is replaced', async ({
    service,
    ann,
  }) => {
    const path = pathOf(service)
    const state = async () => (await stranger(service).get('/readyz?all')).body
    const change = async () =>
      (await ann.post(CHANGE, { currentPassword: ann.password, newPassword: STOLEN })).body.code
    assert.deepEqual((await state()).stores['breach-list'], 'degraded')

    const many = Array.from({ length: 5_000 }, (_, i) => `listed ${i}`)
    // Of 64 buckets, every other one is a sample, and the last one is not.
    const last = String(many.find((each) => fingerprintOf(sha1Of(each)) >= 63 * 2 ** 46))
    await listStolen(pathOf(service), [STOLEN, ...many])
    assert.deepEqual([(await state()).status, (await state()).stores['breach-list']], ['up', 'up'])
    const whole = await readFile(path)

    await writeFile(`${path}.cut`, whole.subarray(0, -1))
    await rename(`${path}.cut`, path)
    assert.equal((await state()).stores['breach-list'], 'degraded')

    const flipped = Buffer.from(whole)
    flipped[whole.length - 1] = Number(whole.at(-1)) ^ 1
    await writeFile(`${path}.flipped`, flipped)
    await rename(`${path}.flipped`, path)
    assert.equal((await state()).stores['breach-list'], 'up')
    assert.equal(await service.platform.breaches.isListed(last), false)
    assert.equal((await state()).stores['breach-list'], 'degraded')

    await listStolen(pathOf(service), [STOLEN])
    assert.equal((await state()).stores['breach-list'], 'up')
    assert.equal(await change(), 'PASSWORD_COMPROMISED')

    await writeFile(`${path}.half`, Buffer.concat([whole.subarray(0, whole.length / 2)], whole.length))
    await rename(`${path}.half`, path)
    assert.equal((await state()).stores['breach-list'], 'degraded')
    await rm(path)
    assert.equal((await state()).stores['breach-list'], 'degraded')
    const said = service.log.lines.filter(({ message }) => message.startsWith('the list of stolen passwords'))
    assert.ok(said.length >= 3, JSON.stringify(said))
  })
})
