import assert from 'node:assert/strict'
import { randomBytes, scryptSync } from 'node:crypto'
import { describe, it } from 'vitest'
import { Person } from '../../service/people.ts'
import { world } from '../support/races.ts'

describe('a user who came with an import', () => {
  it('gets in by each of five first sign-ins at once', async () => {
    await using w = await world()
    const salt = randomBytes(16).toString('hex')
    const key = scryptSync(w.ann.password, salt, 64, { N: 16_384, r: 16, p: 1, maxmem: 64 * 1024 * 1024 })
    await w.service.platform.meta
      .updateTable('account')
      .set({ password_hash: `${salt}:${key.toString('hex')}` })
      .where('user_id', '=', w.ann.id)
      .execute()
    const browsers = Array.from({ length: 5 }, () => new Person(w.service, w.ann.email, w.ann.password))

    const answers = await Promise.all(browsers.map((browser) => browser.signIn()))

    assert.deepEqual(
      answers.map(({ status }) => status),
      browsers.map(() => 200),
    )
    const sessions = await Promise.all(browsers.map((browser) => browser.get('/api/auth/get-session')))
    for (const { body } of sessions) assert.equal(body.user.id, w.ann.id)
  })
})
