import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { routes } from '../../../src/app.ts'
import type { Route } from '../../../src/http/route.ts'
import { assertRefused } from '../../service/answers.ts'
import { it } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'

const JSON_BODY = { 'content-type': 'application/json' }
const FORM_BODY = { 'content-type': 'application/x-www-form-urlencoded' }
const KIB = 1024
const FEEDBACK = '/api/submit_feedback'
const SIGN_IN = '/api/auth/sign-in/email'
const OWLS = { type: 'idea', content: 'More owls.' }
const declared: readonly Route[] = routes

/** With its length announced. */
const announced = (headers: Readonly<Record<string, string>>, body: string) => ({
  method: 'POST',
  headers: { ...headers, 'content-length': String(body.length) },
  body,
})

describe('73. a body of a caller without a credential', () => {
  it('checklist 73: is read up to 16 KiB and no further, announced or in chunks', async ({ service }) => {
    for (const { path, access } of declared.filter(({ method }) => method === 'POST')) {
      for (const headers of [JSON_BODY, FORM_BODY]) {
        const counted = countedBody(64 * KIB)
        const init = { method: 'POST', headers, body: counted.stream, duplex: 'half' } as const
        const chunked = await service.request(path, init)
        assert.ok(counted.sent() <= 20 * KIB, `${path} took ${counted.sent()} bytes`)
        if (access !== 'public') assert.equal(chunked.status, 401, path)

        const { status } = await service.request(path, announced(headers, 'x'.repeat(16 * KIB + 1)))
        assert.ok([400, 401, 413, 415].includes(status), `${path} ${status}`)
      }
    }
  })

  it('checklist 73: of 16 KiB is read, one byte more is 413', async ({ service }) => {
    const send = (bytes: number) => {
      const empty = JSON.stringify({ email: '', password: '' })
      const body = JSON.stringify({ email: 'x'.repeat(bytes - empty.length), password: '' })
      return stranger(service).send(SIGN_IN, announced(JSON_BODY, body))
    }

    assertRefused(await send(16 * KIB), 'INVALID_REQUEST', 'email')
    assertRefused(await send(16 * KIB + 1), 'PAYLOAD_TOO_LARGE')
  })

  it('checklist 73: of a form over 16 KiB is refused in the shape of RFC 6749', async ({ service }) => {
    const form = announced(FORM_BODY, 'a'.repeat(16 * KIB + 1))

    const { status, body } = await stranger(service).send('/api/oauth/token', form)

    assert.deepEqual([status, body.error], [413, 'invalid_request'])
  })

  it('of a signed-in caller has 1 MiB', async ({ ann }) => {
    assert.equal((await ann.post(FEEDBACK, { ...OWLS, rest: 'x'.repeat(900 * KIB) })).status, 200)
    assert.equal((await ann.post(FEEDBACK, { ...OWLS, rest: 'x'.repeat(KIB * KIB) })).status, 413)
  })
})

describe('73. the character NUL', () => {
  it('is refused in a field that is used, with the field’s name', async ({ ann, administrator }) => {
    const { email } = ann
    const list = '/api/admin/list_feedbacks'

    assertRefused(await ann.post(FEEDBACK, { ...OWLS, content: 'More\0owls.' }), 'INVALID_REQUEST', 'content')
    assertRefused(await ann.post(SIGN_IN, { email, password: 'a\0b' }), 'INVALID_REQUEST', 'password')
    assertRefused(await administrator.post(list, { type: '\0' }), 'INVALID_REQUEST', 'type')
  })

  it('is refused in an address and in a form', async ({ service, ann }) => {
    for (const path of ['/api/verify?scope=%00', '/api/auth/callback/provider_a?state=%00&code=%00'])
      assert.equal((await ann.get(path)).status, 400)
    const { status, body } = await stranger(service).send('/api/oauth/token', {
      method: 'POST',
      headers: FORM_BODY,
      body: 'grant_type=refresh_token&client_id=cli-client&refresh_token=%00',
    })

    assert.deepEqual([status, body.error], [400, 'invalid_request'])
  })

  it('costs nothing in a field that is not', async ({ ann }) => {
    assert.equal((await ann.post(FEEDBACK, { ...OWLS, rest: '\0' })).status, 200)
  })

  it('is searched for without recursion, however deep and wide the body is', async ({ ann }) => {
    const deep = `{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
    const wide = `{"a":[${'0,'.repeat(400_000)}0]}`

    for (const body of [deep, wide])
      assert.equal((await ann.send('/api/auth/update-user', announced(JSON_BODY, body))).status, 200)
  })
})

/** Says how much of it was taken. */
function countedBody(bytes: number) {
  let sent = 0
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (sent >= bytes) return controller.close()
        sent += KIB
        controller.enqueue(new Uint8Array(KIB).fill(0x20))
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, sent: () => sent }
}
