import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pbkdf2Passwords } from '../../../src/platform/passwords/passwords.ts'
import { people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const TRIES = 5

// Durations are measured by `npm run bench -- enumeration`; on a busy machine only the work can be compared.
describe('checklist 8: an unknown address and a wrong password', () => {
  it('checklist 8: cost one hash and the same number of statements', async () => {
    let hashes = 0
    const real = pbkdf2Passwords({ iterations: 1 })
    const verify: typeof real.verify = (...args) => {
      hashes += 1
      return real.verify(...args)
    }
    await using service = await startService({
      platform: { passwords: Object.create(real, { verify: { value: verify } }) },
    })
    await people(service)
    let statements = 0
    service.platform.meta.observe(() => {
      statements += 1
    })
    const workOf = async (email: string) => {
      hashes = 0
      statements = 0
      await stranger(service).post('/api/auth/sign-in/email', { email, password: 'not the right one' })
      return { hashes, statements }
    }

    const known = []
    const unknown = []
    for (let i = 0; i < TRIES; i++) {
      known.push(await workOf('ann@example.com'))
      unknown.push(await workOf('nobody@example.com'))
    }

    assert.deepEqual(unknown, known)
    assert.deepEqual(
      known.map((work) => work.hashes),
      Array(TRIES).fill(1),
    )
    assert.ok(known.every((work) => work.statements > 0))
  })
})
