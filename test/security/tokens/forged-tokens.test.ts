import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe } from 'vitest'
import { statuses } from '../../service/answers.ts'
import { bearer, tokensFor } from '../../service/applications.ts'
import { type Person, stranger } from '../../service/people.ts'
import { it as base, introspect } from '../../service/shop.ts'

interface Signed {
  readonly token: string
  readonly head: string
  readonly payload: string
  readonly signature: string
  readonly kid: string
}

const it = base.extend<{ readonly signed: Signed }>({
  signed: async ({ ann }, use) => {
    const { token } = (await ann.get('/api/auth/token')).body
    const [head = '', payload = '', signature = ''] = String(token).split('.')
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString())
    await use({ token, head, payload, signature, kid })
  },
})

const EVIL = 'https://evil.example/keys'

/** The mistake that each header would make a credulous verifier commit. */
function forgedHeaders(kid: string, jwk: object): Readonly<Record<string, object>> {
  return {
    'a path': { kid: '../../../../dev/null' },
    'an address': { kid: EVIL },
    'a statement': { kid: "x' union select 'AA==" },
    'the character NUL': { kid: `${kid}\u0000` },
    'an unknown kid': { kid: 'another' },
    'a huge kid': { kid: kid.repeat(60) },
    'an empty kid': { kid: '' },
    'a kid of digits': { kid: 7 },
    'a list as kid': { kid: [kid] },
    'an object as kid': { kid: { toString: kid } },
    'no kid': { kid: undefined },
    'a kid of the prototype': { kid: '__proto__' },
    'the key itself': { jwk },
    'an address of keys': { jku: EVIL },
    'an address of certificates': { x5u: EVIL },
    'a certificate': { x5c: ['AA=='] },
    'a thumbprint': { x5t: 'AA==' },
    'an extension': { crit: ['b64'], b64: false },
    'an extension of its own': { crit: ['evil'], evil: true },
    'another type': { typ: 'at+jwt' },
    'a nested token': { cty: 'JWT' },
    'another curve': { alg: 'ES256' },
    'another family': { alg: 'RS256' },
    'a longer hash': { alg: 'PS512' },
    'no algorithm': { alg: undefined },
    none: { alg: 'none' },
    'none in other letters': { alg: 'nOnE' },
    'none with a space': { alg: 'none ' },
    'a list of algorithms': { alg: ['EdDSA'] },
    'an encrypted token': { alg: 'dir', enc: 'A256GCM' },
  }
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a token that another party has signed', () => {
  it.override('registration', { skip_consent: true })

  it('is refused everywhere, whatever its header says, and nothing is fetched for it', async ({
    service,
    ann,
    shop,
    signed,
    mock,
  }) => {
    const { kid, payload, token: sound } = signed
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const fetched = mock.method(globalThis, 'fetch')

    for (const [what, change] of Object.entries(forgedHeaders(kid, publicKey.export({ format: 'jwk' })))) {
      const data = `${part({ alg: 'EdDSA', kid, typ: 'JWT', ...change })}.${payload}`
      const token = `${data}.${sign(null, Buffer.from(data), privateKey).toString('base64url')}`
      assert.deepEqual(await answersTo(ann, token), [401, 401, 401], what)
      assert.equal(await hintIsTaken(ann, shop.client_id, token), false, what)
    }
    assert.equal(fetched.mock.callCount(), 0)
    assert.equal((await stranger(service).get('/api/verify', bearer(sound))).status, 200)
  })

  it('with our public key as the secret of a hash is refused, in each form of the key', async ({
    ann,
    signed: { kid, payload },
  }) => {
    const keys: readonly Readonly<Record<string, string>>[] = (await ann.get('/api/auth/jwks')).body.keys
    const secrets = keys.flatMap((key) => [JSON.stringify(key), ...Object.values(key), ''])

    for (const token of secrets.flatMap((secret) => hashedTokens(secret, kid, payload)))
      assert.deepEqual(await answersTo(ann, token), [401, 401, 401], token)
  })

  it('with an unknown key gets the same response a hundred times', async ({ ann, signed }) => {
    await ann.get('/api/auth/jwks')
    const flood = Array.from(
      { length: 100 },
      (_, i) => `${part({ alg: 'EdDSA', kid: `key-${i}` })}.${signed.payload}.AA`,
    )

    const answers = await Promise.all(flood.map((token) => ann.get('/api/verify', bearer(token))))

    assert.deepEqual(statuses(answers), Array(100).fill(401))
  })

  it('an id_token opens nothing: it says who signed in to an application, and to nobody else', async ({
    ann,
    shop,
  }) => {
    const { id_token = '' } = await tokensFor(ann, shop)

    assert.deepEqual(await answersTo(ann, id_token), [401, 401, 401])
  })
})

describe('a token that we have signed', () => {
  it('checklist 87: is refused in any other spelling, by every reader', async ({ ann, shop, signed }) => {
    const { token: sound, head, payload, signature } = signed
    const spellings = [
      `${head}.${payload}.${signature}=`,
      `${head}.${payload}.${signature}==`,
      `${head}.${payload}.${signature}.`,
      `${head}.${payload}.`,
      `${head}.${payload}. ${signature}`,
      `${head}.${payload}.${signature} `,
      `${head}.${payload}.${signature.slice(0, 40)} ${signature.slice(40)}`,
      `${head}.${payload}.${signature.slice(0, 40)}\n${signature.slice(40)}`,
      `${head}=.${payload}.${signature}`,
      `${sound} another`,
      `${sound} ${sound}`,
      `${sound},${sound}`,
    ]

    for (const token of spellings) {
      assert.deepEqual((await introspect(ann, shop, token)).body, { active: false }, token)
      if (/\n| $/.test(token)) continue
      assert.deepEqual(await answersTo(ann, token), [401, 401, 401], token)
    }
    assert.equal((await ann.get('/api/verify', bearer(sound))).status, 200)
  })
})

function hashedTokens(secret: string, kid: unknown, payload: string): readonly string[] {
  return [256, 384, 512].map((bits) => {
    const data = `${part({ alg: `HS${bits}`, kid })}.${payload}`
    return `${data}.${createHmac(`sha${bits}`, secret).update(data).digest('base64url')}`
  })
}

/** The responses of the routes for products, for applications, and for signed-in users. */
async function answersTo(person: Person, token: string): Promise<readonly number[]> {
  const answers = await Promise.all(
    ['/api/verify', '/api/oauth/userinfo', '/api/auth/token'].map((path) => person.get(path, bearer(token))),
  )
  return statuses(answers)
}

/** A hint that is taken ends the session without a question. */
async function hintIsTaken(person: Person, client_id: string, id_token_hint: string): Promise<boolean> {
  await person.get(`/oauth/end-session?${new URLSearchParams({ client_id, id_token_hint })}`)
  return (await person.get('/api/auth/get-session')).body === null
}
