import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { routes } from '../../../src/app.ts'
import type { Route } from '../../../src/http/route.ts'
import { it } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'

const JSON_BODY = { 'content-type': 'application/json' }
const FORM_BODY = { 'content-type': 'application/x-www-form-urlencoded' }
const KIB = 1024
const declared: readonly Route[] = routes
const posts = declared.filter(({ method }) => method === 'POST')

describe('73. a body of a caller without a credential', () => {
  it('checklist 73: is read up to 16 KiB and no further, announced or in chunks', async ({ service }) => {
    for (const { path, access } of posts) {
      for (const headers of [JSON_BODY, FORM_BODY]) {
        const counted = countedBody(64 * KIB)
        const init = { method: 'POST', headers, body: counted.stream, duplex: 'half' } as const
        const chunked = await service.request(path, init)
        assert.ok(counted.sent() <= 20 * KIB, `${path} took ${counted.sent()} bytes`)
        if (access !== 'public') assert.equal(chunked.status, 401, path)

        const body = 'x'.repeat(16 * KIB + 1)
        const length = String(body.length)
        const announced = await service.request(path, {
          method: 'POST',
          headers: { ...headers, 'content-length': length },
          body,
        })
        assert.ok([400, 401, 413, 415].includes(announced.status), `${path} ${announced.status}`)
      }
    }
  })

  it('checklist 73: of 16 KiB is read, one byte more is 413', async ({ service }) => {
    const of = (bytes: number) => {
      const empty = JSON.stringify({ email: '', password: '' })
      return JSON.stringify({ email: 'x'.repeat(bytes - empty.length), password: '' })
    }
    const send = (bytes: number) =>
      stranger(service).send('/api/auth/sign-in/email', {
        method: 'POST',
        headers: { ...JSON_BODY, 'content-length': String(bytes) },
        body: of(bytes),
      })

    const fits = await send(16 * KIB)
    const tooLarge = await send(16 * KIB + 1)

    assert.deepEqual([fits.status, fits.body.code], [400, 'INVALID_REQUEST'])
    assert.deepEqual([tooLarge.status, tooLarge.body.code], [413, 'PAYLOAD_TOO_LARGE'])
  })

  it('checklist 73: of a form over 16 KiB is refused in the shape of RFC 6749', async ({ service }) => {
    const { status, body } = await stranger(service).send('/api/oauth/token', {
      method: 'POST',
      headers: { ...FORM_BODY, 'content-length': String(16 * KIB + 1) },
      body: 'a'.repeat(16 * KIB + 1),
    })

    assert.deepEqual([status, body.error], [413, 'invalid_request'])
  })

  it('of a signed-in caller has 1 MiB', async ({ ann }) => {
    const send = (bytes: number) =>
      ann.post('/api/submit_feedback', { type: 'idea', content: 'More owls.', rest: 'x'.repeat(bytes) })

    assert.equal((await send(900 * KIB)).status, 200)
    assert.equal((await send(KIB * KIB)).status, 413)
  })
})

describe('73. the character NUL', () => {
  it('is refused in a field that is used, with the field’s name', async ({ service, ann, administrator }) => {
    const answers = [
      await ann.post('/api/submit_feedback', { type: 'idea', content: 'More\0owls.' }),
      await stranger(service).post('/api/auth/sign-in/email', { email: 'ann@example.com', password: 'a\0b' }),
      await administrator.post('/api/admin/list_feedbacks', { type: '\0' }),
    ]

    for (const { status, body } of answers) assert.deepEqual([status, body.code], [400, 'INVALID_REQUEST'])
    assert.deepEqual(
      answers.map(({ body }) => body.issues[0].path),
      ['content', 'password', 'type'],
    )
  })

  it('is refused in an address and in a form', async ({ service, ann }) => {
    const query = await ann.get('/api/verify?scope=%00')
    const callback = await ann.get('/api/auth/callback/provider_a?state=%00&code=%00')
    const form = await stranger(service).send('/api/oauth/token', {
      method: 'POST',
      headers: FORM_BODY,
      body: 'grant_type=refresh_token&client_id=cli-client&refresh_token=%00',
    })

    assert.equal(query.status, 400)
    assert.equal(callback.status, 400)
    assert.deepEqual([form.status, form.body.error], [400, 'invalid_request'])
  })

  it('costs nothing in a field that is not', async ({ ann }) => {
    const { status } = await ann.post('/api/submit_feedback', { type: 'idea', content: 'Owls.', rest: '\0' })

    assert.equal(status, 200)
  })

  it('is searched for without recursion, however deep and wide the body is', async ({ ann }) => {
    const deep = `{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
    const wide = `{"a":[${'0,'.repeat(400_000)}0]}`

    for (const body of [deep, wide]) {
      const { status } = await ann.send('/api/auth/update-user', { method: 'POST', headers: JSON_BODY, body })
      assert.equal(status, 200)
    }
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
