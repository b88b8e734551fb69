import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { pbkdf2Passwords } from '../../../src/platform/passwords/passwords.ts'
import { it } from '../../service/it.ts'
import { Person, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'
import { signUp } from '../support/sign-up.ts'

const SIGN_IN = '/api/auth/sign-in/email'

describe('1. a password under 8 characters', () => {
  it('is refused with a code, and 15 or more are recommended', async ({ service }) => {
    const { status, body } = await signUp(service, 'abcdefg')

    assert.deepEqual([status, body.code], [400, 'PASSWORD_TOO_SHORT'])
    assert.match(body.message, /15/)
  })
})

describe('2. long passwords of any characters', () => {
  for (const length of [64, 128]) {
    it(`${length} of them, with spaces, emoji and CJK, sign in unchanged`, async ({ service }) => {
      const password = [...'夜 🦉 è café '.repeat(20)]
        .slice(0, length - 1)
        .join('')
        .concat('.')
      const carl = new Person(service, 'carl@example.com', password)

      assert.equal((await carl.signUp()).status, 200)
      assert.equal((await carl.signIn()).status, 200)
    })
  }
})

describe('3. nothing is cut off or folded', () => {
  it('equal in the first 72 bytes, or but for case, is another password', async ({ service }) => {
    const start = 'x'.repeat(72)
    await new Person(service, 'carl@example.com', `${start} One`).signUp()

    const answers = [`${start} Two`, start, `${start} one`].map((password) =>
      new Person(service, 'carl@example.com', password).signIn(),
    )

    for (const { status } of await Promise.all(answers)) assert.equal(status, 401)
  })
})

describe('4. a password that is easily guessed', () => {
  for (const password of ['password1', 'iloveyou', 'Password123', 'johann.bach']) {
    it(`${password} is refused`, async ({ service }) => {
      const { status, body } = await signUp(service, password, 'johann.bach@example.com')

      assert.deepEqual([status, body.code], [400, 'PASSWORD_COMPROMISED'])
    })
  }
})

describe('5. no rule of composition', () => {
  for (const password of [
    'aaaaaaaa bbbbbbbb cccc',
    'only small letters here',
    '８８８８ ７７７７ ６６６６',
  ]) {
    it(`${password} passes`, async ({ service }) => {
      assert.equal((await signUp(service, password)).status, 200)
    })
  }
})

describe('6. a password over 1,024 bytes', () => {
  it('is 400 everywhere and never hashed', async () => {
    let hashes = 0
    const real = pbkdf2Passwords({ iterations: 1 })
    const counted = <Args extends unknown[], Result>(work: (...args: Args) => Result) => {
      return (...args: Args) => {
        hashes += 1
        return work(...args)
      }
    }
    const passwords = Object.create(real, {
      hash: { value: counted(real.hash) },
      verify: { value: counted(real.verify) },
    })
    await using service = await startService({ platform: { passwords } })
    hashes = 0
    const password = 'é'.repeat(513)

    const up = await signUp(service, password)
    const into = await stranger(service).post(SIGN_IN, { email: 'carl@example.com', password })

    assert.deepEqual([up.status, into.status], [400, 400])
    assert.equal(hashes, 0)
  })
})
