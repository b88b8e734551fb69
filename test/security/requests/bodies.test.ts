import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe } from 'vitest'
import { routes } from '../../../src/app.ts'
import { refusesAsOAuth, takesQuery } from '../../../src/http/requests/form.ts'
import type { Route } from '../../../src/http/route.ts'
import { type Answering, listening } from '../../processes/listening.ts'
import { assertRefused } from '../../service/answers.ts'
import { authorizationQuery } from '../../service/grants.ts'
import { itWith } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'

const it = itWith({ email: { provider: 'smtp' }, authentication: { email_changes: 'verified' } })

const JSON_BODY = { 'content-type': 'application/json' }
const FORM_BODY = { 'content-type': 'application/x-www-form-urlencoded' }
const KIB = 1024
const FEEDBACK = '/api/submit_feedback'
const SIGN_IN = '/api/auth/sign-in/email'
const OWLS = { type: 'idea', content: 'More owls.' }
const declared: readonly Route[] = routes

/** Announces the length. */
const announced = (headers: Readonly<Record<string, string>>, body: string) => ({
  method: 'POST',
  headers: { ...headers, 'content-length': String(body.length) },
  body,
})

/** The client leaves after the first bytes. */
function cutBody(): ReadableStream<Uint8Array> {
  let isSent = false
  return new ReadableStream({
    pull(controller) {
      if (isSent) controller.error(new Error('aborted'))
      else controller.enqueue(new TextEncoder().encode('{"email":'))
      isSent = true
    },
  })
}

describe('a body', () => {
  it('that is cut off is the fault of its sender, and no error of the log', async ({ service, ann }) => {
    const cookie = [...ann.cookies].map((pair) => pair.join('=')).join('; ')
    const from = { ...JSON_BODY, cookie, origin: service.config.baseUrl }
    const sent = [
      [SIGN_IN, JSON_BODY],
      ['/api/oauth/token', FORM_BODY],
      [FEEDBACK, from],
    ] as const
    for (const [path, headers] of sent)
      for (const length of [undefined, '100']) {
        const announced = { ...headers, ...(length !== undefined && { 'content-length': length }) }
        const init = { method: 'POST', headers: announced, body: cutBody(), duplex: 'half' } as const
        assert.equal((await service.request(path, init)).status, 400, `${path} ${length}`)
      }

    assert.deepEqual(
      service.log.lines.filter(({ level }) => level === 'error'),
      [],
    )
  })

  it('whose client has left before it is read holds up nothing', async ({ service }) => {
    const handled: Promise<void>[] = []
    const onceLeft =
      (answer: Answering): Answering =>
      async (incoming, outgoing) => {
        await once(outgoing, 'close')
        handled.push(answer(incoming, outgoing))
        left.resolve()
      }
    let left = Promise.withResolvers<void>()
    await using server = await listening(service, onceLeft)
    for (const [path, type] of [
      [SIGN_IN, JSON_BODY],
      ['/api/oauth/token', FORM_BODY],
    ] as const)
      for (const body of ['{"email":', '{"email":"ann@example.com"}', '']) {
        left = Promise.withResolvers()
        const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
        const length = body.endsWith('}') ? body.length : 100
        const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type['content-type']}\r\n`
        socket.end(`${head}Content-Length: ${length}\r\n\r\n${body}`, () => socket.destroy())
        await left.promise
      }

    await Promise.all(handled)
    assert.equal(handled.length, 6)
  })

  it('that is encoded is refused by name', async ({ service, ann }) => {
    const body = gzipSync(JSON.stringify(OWLS))
    const headers = { ...JSON_BODY, 'content-encoding': 'gzip' }
    const answers = [
      await ann.send(FEEDBACK, { method: 'POST', headers, body }),
      await stranger(service).send(SIGN_IN, { method: 'POST', headers, body }),
    ]

    for (const answer of answers) assertRefused(answer, 'UNSUPPORTED_MEDIA_TYPE')
    assert.match(answers[0]?.body.message, /Content-Encoding/)
  })
})

describe('73. a body of a caller without a credential', () => {
  it('checklist 73: is read up to 16 KiB and no further, announced or in chunks', async ({
    service,
    administrator,
  }) => {
    await administrator.saveSettings('assistants', { registration: true })
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
})

describe('a body of a signed-in caller', () => {
  const sized = (bytes: number, fields: object, filled: string) => {
    const empty = JSON.stringify({ ...fields, [filled]: '' })
    return JSON.stringify({ ...fields, [filled]: 'x'.repeat(bytes - empty.length) })
  }

  it('of 64 KiB is read, one byte more is 413', async ({ ann }) => {
    const send = (bytes: number) => ann.send(FEEDBACK, announced(JSON_BODY, sized(bytes, { type: 'idea' }, 'content')))

    assertRefused(await send(64 * KIB), 'INVALID_REQUEST', 'content')
    assertRefused(await send(64 * KIB + 1), 'PAYLOAD_TOO_LARGE')
  })

  it('has 1 MiB where a logo is saved, and nowhere else', async ({ administrator }) => {
    const saves = declared.filter(({ path }) => /^\/api\/admin\/update_\w+_config$/.test(path))
    const send = (path: string, bytes: number) =>
      administrator.send(path, announced(JSON_BODY, sized(bytes, { expected_version: 1 }, 'name')))

    for (const { path } of saves) {
      const isBrand = path === '/api/admin/update_brand_config'
      const most = isBrand ? KIB * KIB : 64 * KIB
      assertRefused(await send(path, most), 'INVALID_REQUEST', 'name')
      assertRefused(await send(path, most + 1), 'PAYLOAD_TOO_LARGE')
    }
    assert.equal(saves.length, 8)
  })
})

describe('a body of any caller', () => {
  const nested = (levels: number) => `{"name":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  const wide = (keys: number) => `{${Array.from({ length: keys }, (_, i) => `"${i}":0`).join()}}`
  const escaped = JSON.stringify({ name: '\\"[[{:'.repeat(3_000) })

  it('has at most 32 levels', async ({ service, ann }) => {
    const deeper = /nested deeper than 32 levels/
    for (const [sender, path] of [[ann, '/api/auth/update-user'] as const, [stranger(service), SIGN_IN] as const]) {
      const messageFor = async (levels: number) =>
        (await sender.send(path, announced(JSON_BODY, nested(levels)))).body.message

      assert.match(await messageFor(33), deeper)
      assert.doesNotMatch(await messageFor(32), deeper)
    }
  })

  it('has at most 2,000 fields', async ({ ann }) => {
    const send = (keys: number) => ann.send('/api/auth/update-user', announced(JSON_BODY, wide(keys)))

    assert.match((await send(2_001)).body.message, /more than 2000 fields/)
    assert.equal((await send(2_000)).status, 200)
  })

  it('is refused before it is built, even if it is broken further on', async ({ ann }) => {
    const { body } = await ann.send(FEEDBACK, announced(JSON_BODY, '['.repeat(33)))

    assert.match(body.message, /nested deeper than 32 levels/)
  })

  it('has brackets, colons and quotes in its texts without counting them', async ({ ann }) => {
    const { body } = await ann.send('/api/auth/update-user', announced(JSON_BODY, escaped))

    assert.equal(body.issues[0].path, 'name')
  })
})

describe('a field that a route does not declare', () => {
  const closedRoutes = declared.filter(
    (route) =>
      !takesQuery(route) &&
      !route.path.startsWith('/api/auth/') &&
      !refusesAsOAuth(route) &&
      !['/api/oauth/begin_authorization', '/api/oauth/describe_sign_out'].includes(route.path),
  )

  it('is refused with its path on every route outside Better Auth’s and OAuth’s', async ({ administrator }) => {
    for (const { path } of closedRoutes) {
      const { status, body } = await administrator.post(path, { no_such_field_of_ours: 1 })

      const paths = body.issues?.map((issue: { path: string }) => issue.path)
      assert.deepEqual([path, status, body.code], [path, 400, 'INVALID_REQUEST'])
      assert.ok(paths.includes('no_such_field_of_ours'), path)
    }
    assert.ok(closedRoutes.some(({ path }) => path === '/api/submit_feedback'))
  })

  it('of a save changes nothing, and the nearest name is offered', async ({ administrator }) => {
    const read = async () => (await administrator.post('/api/admin/get_authentication_config')).body
    const before = await read()

    const save = { expected_version: before.version, registration_enabeld: false, challenge_enabled: true }
    const { body } = await administrator.post('/api/admin/update_authentication_config', save)

    assert.equal(body.code, 'INVALID_REQUEST')
    assert.deepEqual(body.issues, [
      {
        path: 'registration_enabeld',
        message: 'This field does not exist; did you mean registration_enabled?',
      },
    ])
    assert.deepEqual(await read(), before)
  })

  it('is named, up to ten of them', async ({ ann }) => {
    const unknown = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`no_such_field_${i}`, 1]))

    assert.equal((await ann.post(FEEDBACK, { ...OWLS, ...unknown })).body.issues.length, 10)
  })

  it('is found at any depth', async ({ administrator }) => {
    const api_key = { action: 'replace', value: 'key', vlaue: 'key' }
    const answer = await administrator.post('/api/admin/update_email_config', {
      expected_version: 1,
      api_key,
    })

    assertRefused(answer, 'INVALID_REQUEST', 'api_key.vlaue')
  })

  it('is ignored where clients of Better Auth and of OAuth send fields of theirs', async ({ service, ann }) => {
    const query = { ...authorizationQuery(['account:profile:read']), ui_hint: 'dark' }

    const name = await ann.post('/api/auth/update-user', { name: 'Ann', nickname: 'A.' })
    const begun = await ann.post('/api/oauth/begin_authorization', query)
    const form = 'grant_type=refresh_token&client_id=cli-client&refresh_token=none&other=1'
    const token = await stranger(service).send('/api/oauth/token', announced(FORM_BODY, form))

    assert.deepEqual([name.status, begun.status, token.body.error], [200, 200, 'invalid_grant'])
  })
})

describe('73. the character NUL', () => {
  it('is refused in every field, with the field’s name', async ({ ann, administrator }) => {
    const { email } = ann
    const list = '/api/admin/list_feedbacks'

    assertRefused(await ann.post(FEEDBACK, { ...OWLS, content: 'More\0owls.' }), 'INVALID_REQUEST', 'content')
    assertRefused(await ann.post(SIGN_IN, { email, password: 'a\0b' }), 'INVALID_REQUEST', 'password')
    assertRefused(await administrator.post(list, { type: '\0' }), 'INVALID_REQUEST', 'type')
    const dropped = { name: 'Ann', rest: '\0' }
    assertRefused(await ann.post('/api/auth/update-user', dropped), 'INVALID_REQUEST', 'rest')
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
