import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../service/answers.ts'
import { it } from '../../service/it.ts'
import { Person, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { countedPasswords } from '../support/counted-passwords.ts'

describe('1. a password under 8 characters', () => {
  for (const password of ['a1!b2?c', '🦉🦉🦉🦉🦉🦉🦉']) {
    it(`${password} is refused with a code, and 15 or more are recommended`, async ({ service }) => {
      const answer = await stranger(service).signUp({ password })

      assertRefused(answer, 'PASSWORD_TOO_SHORT')
      assert.match(JSON.stringify(answer.body), /15/)
    })
  }
})

describe('2. long passwords of any characters', () => {
  for (const length of [8, 64, 128]) {
    it(`${length} of them, with spaces, emoji and CJK, sign in unchanged`, async ({ service }) => {
      const start = [...'夜 🦉 è café '.repeat(20)].slice(0, length - 1)
      const carl = new Person(service, 'carl@example.com', `${start.join('')}.`)

      assert.equal((await carl.signUp()).status, 200)
      assert.equal((await carl.signIn()).status, 200)
    })
  }

  for (const password of [`${'ab'.repeat(64)}c`, 'x'.repeat(16_000)]) {
    it(`${password.length} of them are too long`, async ({ service }) => {
      assertRefused(await stranger(service).signUp({ password }), 'PASSWORD_TOO_LONG')
    })
  }
})

describe('3. nothing is cut off or folded', () => {
  it('equal in the first 72 bytes, or but for case, is another password', async ({ service }) => {
    const start = 'x'.repeat(72)
    await new Person(service, 'carl@example.com', `${start} One`).signUp()

    for (const password of [`${start} Two`, start, `${start} one`]) {
      const { status } = await new Person(service, 'carl@example.com', password).signIn()
      assert.equal(status, 401)
    }
  })
})

describe('4. a password that is easily guessed', () => {
  for (const password of ['password1', 'iloveyou', 'PassWord123', 'Johann.Bach', 'johann.bach']) {
    it(`${password} is refused`, async ({ service }) => {
      const answer = await stranger(service, 'johann.bach@example.com').signUp({ password })

      assertRefused(answer, 'PASSWORD_COMPROMISED')
    })
  }
})

describe('5. no rule of composition', () => {
  for (const password of ['owlsroof', 'aaaaaaaa bbbbbbbb cccc', '８８８８ ７７７７ ６６６６']) {
    it(`${password} passes`, async ({ service }) => {
      assert.equal((await stranger(service).signUp({ password })).status, 200)
    })
  }
})

describe('6. a password over 1,024 bytes', () => {
  it('is 400 everywhere and never hashed', async () => {
    const { passwords, hashesSince } = countedPasswords()
    await using service = await startService({ platform: { passwords } })
    const carl = new Person(service, 'carl@example.com', `${'é'.repeat(512)}.`)
    hashesSince()

    for (const answer of [await carl.signUp(), await carl.signIn()]) assertRefused(answer, 'PASSWORD_TOO_LONG')
    assert.equal(hashesSince(), 0)
    assert.equal((await new Person(service, carl.email, 'é'.repeat(512)).signIn()).status, 401)
  })
})

describe('a password in the store', () => {
  it('is salt and key in hexadecimal, of 8 and 20 bytes', async ({ service }) => {
    await stranger(service).signUp()

    const rows = await service.platform.meta.selectFrom('account').select('password_hash').execute()

    for (const { password_hash } of rows) assert.match(password_hash ?? '', /^[0-9a-f]{16}:[0-9a-f]{40}$/)
  })
})
