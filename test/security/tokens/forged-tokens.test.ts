import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, it } from '../../running/node-test.ts'
import { basic, bearer, register, tokensFor } from '../../service/applications.ts'
import { postForm } from '../../service/grants.ts'
import { type Person, people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const EVIL = 'https://evil.example/keys'

/** What each header would make a credulous verifier do. */
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
  it('is refused everywhere, whatever its header says, and nothing is fetched for it', async (t) => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator, { skip_consent: true })
    const { body } = await ann.get('/api/auth/token')
    const [head = '', payload = ''] = String(body.token).split('.')
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString())
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const fetched = t.mock.method(globalThis, 'fetch')
    const forged = Object.entries(forgedHeaders(kid, publicKey.export({ format: 'jwk' }))).map(
      ([what, change]) => {
        const data = `${part({ alg: 'EdDSA', kid, typ: 'JWT', ...change })}.${payload}`
        return [what, `${data}.${sign(null, Buffer.from(data), privateKey).toString('base64url')}`] as const
      },
    )

    for (const [what, token] of forged) {
      assert.deepEqual(await answersTo(ann, token), [401, 401, 401], what)
      assert.equal(await hintIsTaken(ann, shop.client_id, token), false, what)
    }
    assert.equal(fetched.mock.callCount(), 0)
    assert.equal((await stranger(service).get('/api/verify', bearer(body.token))).status, 200)
  })

  it('with our public key as the secret of a hash is refused, in each form of the key', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    const { body } = await ann.get('/api/auth/token')
    const [head = '', payload = '', signature = ''] = String(body.token).split('.')
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString())
    const keys = await keysOf(ann)
    const secrets = keys.flatMap((key) => [JSON.stringify(key), ...Object.values(key), ''])

    for (const token of secrets.flatMap((secret) => hashedTokens(secret, kid, payload)))
      assert.deepEqual(await answersTo(ann, token), [401, 401, 401], token)
    const spellings = [
      `${head}.${payload}.${signature}=`,
      `${head}.${payload}.${signature}.`,
      `${head}.${payload}.`,
    ]
    for (const token of spellings) assert.deepEqual(await answersTo(ann, token), [401, 401, 401], token)
  })

  it('with an unknown key gets the same response a hundred times', async () => {
    await using service = await startService()
    const { ann } = await people(service)
    const { body } = await ann.get('/api/auth/token')
    await keysOf(ann)
    const [, payload = ''] = String(body.token).split('.')
    const flood = Array.from(
      { length: 100 },
      (_, i) => `${part({ alg: 'EdDSA', kid: `key-${i}` })}.${payload}.AA`,
    )

    const answers = await Promise.all(flood.map((token) => ann.get('/api/verify', bearer(token))))

    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([401]))
  })

  it('an id_token opens nothing: it says who signed in to an application, and to nobody else', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator, { skip_consent: true })
    const { id_token = '' } = await tokensFor(ann, shop)

    assert.deepEqual(await answersTo(ann, id_token), [401, 401, 401])
  })
})

describe('a token that we have signed', () => {
  it('checklist 87: is refused in any other spelling, by every reader', async () => {
    await using service = await startService()
    const { administrator, ann } = await people(service)
    const shop = await register(administrator)
    const { body } = await ann.get('/api/auth/token')
    const [head = '', payload = '', signature = ''] = String(body.token).split('.')
    const spellings = [
      `${head}.${payload}.${signature}==`,
      `${head}.${payload}. ${signature}`,
      `${head}.${payload}.${signature} `,
      `${head}.${payload}.${signature.slice(0, 40)} ${signature.slice(40)}`,
      `${head}.${payload}.${signature.slice(0, 40)}\n${signature.slice(40)}`,
      `${head}=.${payload}.${signature}`,
      `${body.token} another`,
      `${body.token} ${body.token}`,
      `${body.token},${body.token}`,
    ]

    for (const token of spellings) {
      const introspected = await postForm(ann, '/api/oauth/introspect', { token }, basic(shop))
      assert.deepEqual(introspected.body, { active: false }, token)
      if (/\n| $/.test(token)) continue
      assert.deepEqual(await answersTo(ann, token), [401, 401, 401], token)
    }
    assert.equal((await ann.get('/api/verify', bearer(body.token))).status, 200)
  })
})

function hashedTokens(secret: string, kid: unknown, payload: string): readonly string[] {
  return [256, 384, 512].map((bits) => {
    const data = `${part({ alg: `HS${bits}`, kid })}.${payload}`
    return `${data}.${createHmac(`sha${bits}`, secret).update(data).digest('base64url')}`
  })
}

/** Of the routes for products, for applications, and for signed-in users. */
async function answersTo(person: Person, token: string): Promise<readonly number[]> {
  const answers = await Promise.all(
    ['/api/verify', '/api/oauth/userinfo', '/api/auth/token'].map((path) => person.get(path, bearer(token))),
  )
  return answers.map(({ status }) => status)
}

/** It would end the session without a question. */
async function hintIsTaken(person: Person, client_id: string, id_token_hint: string): Promise<boolean> {
  await person.get(`/oauth/end-session?${new URLSearchParams({ client_id, id_token_hint })}`)
  return (await person.get('/api/auth/get-session')).body === null
}

async function keysOf(person: Person): Promise<readonly Readonly<Record<string, string>>[]> {
  return (await person.get('/api/auth/jwks')).body.keys
}
