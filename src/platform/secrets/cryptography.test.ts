import assert from 'node:assert/strict'
import { pbkdf2Sync } from 'node:crypto'
import { describe, it } from 'vitest'
import { QueueFull } from '../passwords/fair-queue.ts'
import { OPERATOR, pbkdf2Passwords } from '../passwords/passwords.ts'
import { aesSecretBox } from './secret-box.ts'
import { hmacSigner } from './signer.ts'

const KEY = 'ab'.repeat(32)

describe('secret box', () => {
  it('opens what it sealed, and no two sealed texts are equal', () => {
    const box = aesSecretBox(KEY)

    const sealed = box.seal('email api key', 'schlüssel 🔑')

    assert.equal(box.open('email api key', sealed), 'schlüssel 🔑')
    assert.notEqual(box.seal('email api key', 'schlüssel 🔑'), sealed)
    assert.doesNotMatch(sealed, /schl/)
  })

  it('opens nothing that was sealed for another purpose or under another key, or was changed', () => {
    const box = aesSecretBox(KEY)
    const sealed = box.seal('email api key', 'secret')
    const changed = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA')

    assert.throws(() => box.open('provider secret', sealed))
    assert.throws(() => aesSecretBox('cd'.repeat(32)).open('email api key', sealed))
    for (const text of [changed, sealed.slice(0, 12), 'secret'])
      assert.throws(() => box.open('email api key', text), Error, text)
  })
})

it('signer depends on the secret, the purpose and the value', () => {
  const signer = hmacSigner('s'.repeat(32))

  assert.equal(signer.digest('code', '123456'), signer.digest('code', '123456'))
  assert.notEqual(signer.digest('code', '123456'), signer.digest('code1', '23456'))
  assert.notEqual(signer.digest('code', '123456'), hmacSigner('t'.repeat(32)).digest('code', '123456'))
})

describe('password hash', () => {
  const passwords = pbkdf2Passwords({ iterations: 100 })

  it('is <salt_hex>:<key_hex> with 8 random bytes of salt and SHA-1', async () => {
    const stored = await passwords.hash('correct horse battery', OPERATOR)

    const [salt = '', key] = stored.split(':')
    assert.match(stored, /^[0-9a-f]{16}:[0-9a-f]{40}$/)
    const expected = pbkdf2Sync('correct horse battery', Buffer.from(salt, 'hex'), 100, 20, 'sha1')
    assert.equal(key, expected.toString('hex'))
    assert.notEqual(await passwords.hash('correct horse battery', OPERATOR), stored)
  })

  it('checklist 2 and 3: long passwords, emoji and CJK count to the last letter', async () => {
    const long = '密码 🔐 '.repeat(20)
    const stored = await passwords.hash(`${long}a`, OPERATOR)

    for (const last of ['a', 'b', 'A'])
      assert.equal(await passwords.verify(long + last, stored, OPERATOR), last === 'a', last)
  })

  it('that does not exist is never right', async () => {
    assert.equal(await passwords.verify('anything', undefined, OPERATOR), false)
  })

  it('runs a limited number at once, lets others wait, and throws QueueFull beyond that', async () => {
    const narrow = pbkdf2Passwords({ iterations: 1_000, atOnce: 1, waitingAtMost: 2 })
    const hashFor = (network: string) => narrow.hash('a password', [network, network, network])

    const accepted = ['1', '2', '3'].map(hashFor)

    assert.equal(narrow.waiting, 2)
    await assert.rejects(hashFor('2'), QueueFull)
    accepted.push(...['4', '5', '6', '7', '8', '9'].map(hashFor))
    assert.equal(narrow.waiting, 8)
    await assert.rejects(hashFor('10'), QueueFull)
    await Promise.all(accepted)
    assert.equal(narrow.waiting, 0)
    await hashFor('11')
  })
})
