import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../../test/service/it.ts'
import { Person, stranger } from '../../../../test/service/people.ts'

describe('password rules', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['7 characters', 'a1!b2?c', 'PASSWORD_TOO_SHORT'],
    ['7 characters of two units each', '🦉🦉🦉🦉🦉🦉🦉', 'PASSWORD_TOO_SHORT'],
    ['129 characters', `${'ab'.repeat(64)}c`, 'PASSWORD_TOO_LONG'],
    ['as long as a request can be', 'x'.repeat(16_000), 'PASSWORD_TOO_LONG'],
    ['one of the commonest', 'password1', 'PASSWORD_COMPROMISED'],
    ['one of the commonest in another case', 'PassWord1', 'PASSWORD_COMPROMISED'],
    ['the local part of the address', 'Carl.Carlson', 'PASSWORD_COMPROMISED'],
  ]
  for (const [what, password, code] of cases) {
    it(`${what} is refused as ${code}`, async ({ service }) => {
      const answer = await stranger(service, 'carl.carlson@example.com').signUp({ password })

      assert.deepEqual([answer.status, answer.body.code], [400, code])
    })
  }

  const accepted = [
    ['8 characters', 'owlsroof'],
    ['64 characters with spaces', 'an owl under the roof '.repeat(3).slice(0, 64)],
    ['128 characters of emoji and CJK', '猫🦉 '.repeat(43).slice(0, -1)],
    ['a long phrase without composition', 'aaaaaaaa bbbbbbbb cccc'],
  ] as const
  for (const [what, password] of accepted) {
    it(`${what} is accepted and signs in unchanged`, async ({ service }) => {
      const carl = new Person(service, 'carl@example.com', password)

      const signUp = await carl.signUp()

      assert.equal(signUp.status, 200, JSON.stringify(signUp.body))
      assert.equal((await carl.signIn()).status, 200)
    })
  }

  it('nothing is cut off or folded: a difference after 72 bytes or in case is another password', async ({
    service,
  }) => {
    const carl = new Person(service, 'carl@example.com', `${'long walk '.repeat(8)}home`)
    await carl.signUp()

    const other = new Person(service, carl.email, `${'long walk '.repeat(8)}away`)
    const folded = new Person(service, carl.email, carl.password.toUpperCase())

    assert.equal((await other.signIn()).status, 401)
    assert.equal((await folded.signIn()).status, 401)
  })

  it('is stored as salt and key in hexadecimal, of 8 and 20 bytes', async ({ service }) => {
    await stranger(service).signUp()

    const rows = await service.platform.meta.selectFrom('account').select('password_hash').execute()

    for (const { password_hash } of rows) assert.match(password_hash ?? '', /^[0-9a-f]{16}:[0-9a-f]{40}$/)
  })
})
