import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { describe } from 'vitest'
import { assertRefused, oauthError, statuses } from '../../../../test/service/answers.ts'
import { CALLBACK, codeFor, register, tokenRequest } from '../../../../test/service/applications.ts'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { addApp, verifyTotp } from '../../../../test/service/devices/factors.ts'
import {
  addPasskey,
  SecurityKey,
  showPasskey,
  signUpWithPasskey,
} from '../../../../test/service/devices/security-key.ts'
import { grantFor } from '../../../../test/service/grants.ts'
import { it as base } from '../../../../test/service/it.ts'
import { inNewBrowser } from '../../../../test/service/new-browser.ts'
import { type Person, stranger } from '../../../../test/service/people.ts'
import { type HookName, startReceiver } from '../../../../test/service/receiver.ts'
import type { Service } from '../../../../test/service/service.ts'

const it = base
  .extend('options', { env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } })
  .extend('receiver', async ({ administrator }, { onCleanup }) => {
    const receiver = await startReceiver(administrator)
    onCleanup(() => receiver[Symbol.asyncDispose]())
    return receiver
  })

const failures = async ({ platform }: Service, name: HookName) =>
  new RegExp(`gatehouse_hook_failures_total\\{hook="${name}"\\} (\\d+)`).exec(await platform.metrics.text())?.[1]

const claimsIn = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())

describe('134. the settings of a hook', () => {
  it('checklist 134: have no default for a failing hook, so that enabling one needs the choice', async ({
    administrator,
  }) => {
    const save = (before_sign_in: object) =>
      administrator.post('/api/admin/update_hooks_config', { expected_version: 1, before_sign_in })
    const url = 'https://example.com/hook'

    assertRefused(await save({ enabled: true, url }), 'INVALID_REQUEST', 'before_sign_in.on_failure')
    assertRefused(await save({ enabled: true, on_failure: 'allow' }), 'INVALID_REQUEST', 'before_sign_in.url')
    for (const timeout_ms of [99, 3_001, 1.5])
      assertRefused(await save({ timeout_ms }), 'INVALID_REQUEST', 'before_sign_in.timeout_ms')
    assertRefused(await save({ on_failure: 'other' }), 'INVALID_REQUEST', 'before_sign_in.on_failure')
    assertRefused(await save({ url: 'http://10.0.0.1/' }), 'INVALID_REQUEST', 'before_sign_in.url')
    const { body } = await save({ enabled: true, url, on_failure: 'refuse' })
    assert.deepEqual(body.before_sign_in, { enabled: true, url, timeout_ms: 1_000, on_failure: 'refuse' })
  })

  it('keep what is not sent, of each hook by itself', async ({ administrator, receiver }) => {
    await receiver.turnOn('before_token', { timeout_ms: 300 })
    await administrator.saveSettings('hooks', { before_token: { enabled: false } })
    const { body } = await administrator.post('/api/admin/get_hooks_config')

    const { url } = receiver.product
    assert.deepEqual(body.before_token, { enabled: false, url, timeout_ms: 300, on_failure: 'refuse' })
    assert.deepEqual(body.before_sign_up, { enabled: false, url: '', timeout_ms: 1_000, on_failure: null })
  })

  it('are changed in the administrator’s own fresh session only', async ({ service, administrator, ann }) => {
    service.clock.advance({ minutes: 16 })
    const sent = { expected_version: 1, before_token: { url: 'https://example.com/' } }

    assertRefused(await administrator.post('/api/admin/update_hooks_config', sent), 'SESSION_NOT_FRESH')
    assertRefused(await ann.post('/api/admin/update_hooks_config', sent), 'FORBIDDEN')
  })

  it('checklist 134: sign with a secret that is shown once, and after a rotation with the former one for a day', async ({
    service,
    administrator,
    ann,
    receiver,
  }) => {
    await receiver.turnOn('before_sign_in')
    const rotate = async () =>
      (await administrator.post('/api/admin/rotate_hook_secret', { hook: 'before_sign_in' })).body.secret
    const first = await rotate()
    const second = await rotate()
    await inNewBrowser(service, ann).signIn()
    service.clock.advance({ days: 1 })
    await inNewBrowser(service, ann).signIn()
    const { body: shown } = await administrator.post('/api/admin/get_hooks_config')

    const [early, late] = receiver.product.got
    assert.ok(early && late)
    const isSigned = (secret: string, { headers, body }: typeof early) => {
      const now = Number(headers['webhook-timestamp']) * 1_000
      const expected = new Webhook(secret).sign(headers['webhook-id'] ?? '', new Date(now), body)
      return (headers['webhook-signature'] ?? '').split(' ').includes(expected)
    }
    assert.deepEqual([isSigned(first, early), isSigned(second, early)], [true, true])
    assert.deepEqual([isSigned(first, late), isSigned(second, late)], [false, true])
    assert.equal(early.headers['webhook-id'], JSON.parse(early.body).id)
    for (const secret of [first, second]) assert.ok(!JSON.stringify(shown).includes(secret))
  })
})

describe('134. a hook before a sign-up', () => {
  it('is told who comes, and gives the user data', async ({ service, administrator, receiver }) => {
    await receiver.turnOn('before_sign_up')
    receiver.says({ allow: true, data: { public: { plan: 'pro' }, private: { crm: 1 } } })
    const carl = stranger(service)
    const { status } = await carl.signUp({ name: 'Carl', data: { theme: 'dark' } })
    const { body: data } = await administrator.post('/api/admin/get_user_data', { id: carl.id })

    assert.equal(status, 200)
    const [{ id: _, occurred_at, ...asked }, ...more] = receiver.asked()
    assert.deepEqual(more, [])
    assert.equal(occurred_at, service.clock.now())
    assert.deepEqual(asked, {
      type: 'before_sign_up',
      user: { id: null, email: carl.email, name: 'Carl', email_verified: false, public: {} },
      organization_id: null,
      context: { method: 'password', ip: '127.0.0.1', user_agent: '', continent: null, client_id: null },
    })
    assert.deepEqual(data, { public: { plan: 'pro' }, private: { crm: 1 }, own: { theme: 'dark' }, version: 1 })
  })

  it('refuses with the product’s words, and nobody is made', async ({ service, administrator, receiver }) => {
    await receiver.turnOn('before_sign_up')
    const before = (await administrator.post('/api/admin/list_users')).body.total
    receiver.says({ allow: false, message: ' Only <b>members</b>\u202e.\n ' })
    const refused = await stranger(service).signUp()
    receiver.says({ allow: false, message: 'x'.repeat(300) })
    const long = await stranger(service, 'long@example.com').signUp()
    receiver.says({ allow: false, message: { text: 1 }, data: 'nonsense' })
    const odd = await stranger(service, 'odd@example.com').signUp()

    for (const answer of [refused, long, odd]) assertRefused(answer, 'HOOK_REFUSED')
    const messages = [refused, long, odd].map(({ body }) => (body as { message?: string }).message)
    assert.deepEqual(messages, ['Only <b>members</b> .', 'x'.repeat(200), 'You cannot do this here right now.'])
    assert.equal((await administrator.post('/api/admin/list_users')).body.total, before)
  })

  it('checklist 134: is asked about a taken address as about a free one, and the answers are the same', async ({
    service,
    administrator,
    ann,
    receiver,
  }) => {
    await administrator.saveSettings('email', { provider: 'outbox' })
    await administrator.saveSettings('authentication', { email_verification_required: true })
    await receiver.turnOn('before_sign_up')
    const answers = []
    const letters: number[] = []
    for (const says of [{ allow: true }, { allow: false, message: 'No.' }, 'nonsense']) {
      receiver.says(says)
      for (const email of [`free-${answers.length}@example.com`, ann.email]) {
        service.clock.advance({ minutes: 2 })
        answers.push(await stranger(service, email).signUp({ name: 'N' }))
        letters.push((await service.mail.sentTo(email)).length)
      }
    }

    const shapes = answers.map(({ status, body }) => [
      status,
      Object.keys(body),
      (body as { message?: string }).message,
    ])
    for (const i of [0, 2, 4]) assert.deepEqual(shapes[i], shapes[i + 1])
    assert.deepEqual(statuses(answers), [200, 200, 403, 403, 503, 503])
    assert.deepEqual(letters, Array(6).fill(0))
    const questions = receiver.asked().map(({ user, context }) => [Object.keys(user), user.id, user.public, context])
    assert.equal(questions.length, 6)
    for (const question of questions) assert.deepEqual(question, questions[0])
  })

  it('is asked for a passkey too, and not for those whom the administrator makes', async ({
    service,
    administrator,
    receiver,
  }) => {
    await receiver.turnOn('before_sign_up')
    receiver.says({ allow: false })
    const made = await administrator.post('/api/admin/create_user', { email: 'made@example.com' })
    const asked = receiver.asked().length
    const refused = await signUpWithPasskey(stranger(service), new SecurityKey(service.config.baseUrl))

    assert.deepEqual([made.status, asked], [200, 0])
    assertRefused(refused, 'HOOK_REFUSED')
    assert.equal(receiver.asked()[0].context.method, 'passkey')
  })
})

describe('134. a hook before a sign-in', () => {
  it('is asked once the password is right, and once, and refuses without a session', async ({
    service,
    ann,
    receiver,
  }) => {
    await receiver.turnOn('before_sign_in')
    const wrong = await service.request('/api/auth/sign-in/email', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: ann.email, password: 'not the password' }),
    })
    assert.deepEqual([wrong.status, receiver.asked().length], [401, 0])
    const browser = inNewBrowser(service, ann)
    const allowed = await browser.signIn()
    receiver.says({ allow: false, message: 'Come back on Monday.' })
    const other = inNewBrowser(service, ann)
    const refused = await other.signIn()

    assert.equal(allowed.status, 200)
    assertRefused(refused, 'HOOK_REFUSED')
    assert.equal(refused.headers.get('set-auth-token'), null)
    assert.equal((await other.get('/api/auth/get-session')).body, null)
    const [first, second, ...more] = receiver.asked()
    assert.deepEqual(more, [])
    assert.deepEqual([first.user.id, first.user.email, first.context.method], [ann.id, ann.email, 'password'])
    assert.notEqual(first.id, second.id)
  })

  it('is asked after the second step, and leaves its code unused if it refuses', async ({ service, ann, receiver }) => {
    const app = await addApp(service, ann)
    await receiver.turnOn('before_sign_in')
    receiver.says({ allow: false })
    const browser = inNewBrowser(service, ann)
    service.clock.advance({ minutes: 1 })
    await browser.signIn()
    assert.equal(receiver.asked().length, 0)
    const code = app.code()
    const refused = await verifyTotp(browser, code)
    receiver.says({ allow: true })
    const allowed = await verifyTotp(browser, code)

    assertRefused(refused, 'HOOK_REFUSED')
    assert.equal(allowed.status, 200)
    assert.equal(receiver.asked().length, 2)
  })

  it('is asked for a passkey', async ({ service, ann, receiver }) => {
    const key = new SecurityKey(service.config.baseUrl)
    await addPasskey(ann, key)
    await receiver.turnOn('before_sign_in')
    const { status } = await showPasskey(stranger(service, ann.email), key)

    assert.equal(status, 200)
    assert.deepEqual(
      receiver.asked().map(({ context }) => context.method),
      ['passkey'],
    )
  })

  it('is asked neither for the administrator nor after a sign-up', async ({ service, administrator, receiver }) => {
    await receiver.turnOn('before_sign_in')
    receiver.says({ allow: false })
    const signedIn = await inNewBrowser(service, administrator).signIn()
    const { status } = await stranger(service).signUp()

    assert.deepEqual([signedIn.status, status, receiver.asked()], [200, 200, []])
  })

  it('checklist 134: is decided again: a user who was suspended meanwhile does not get in', async ({
    service,
    administrator,
    ann,
    receiver,
  }) => {
    await receiver.turnOn('before_sign_in')
    receiver.answers(async (response) => {
      await administrator.post('/api/admin/suspend_user', { id: ann.id, reason: 'One' })
      response.end('{"allow":true}')
    })

    assertRefused(await inNewBrowser(service, ann).signIn(), 'ACCOUNT_SUSPENDED')
  })

  it('checklist 134: holds no lock while it is asked', async ({ service, administrator, ann, receiver }) => {
    await receiver.turnOn('before_sign_in')
    const answered: number[] = []
    receiver.answers(async (response) => {
      answered.push((await ann.post('/api/auth/update-user', { name: 'Ann B.' })).status)
      answered.push((await administrator.saveSettings('credits', { signup_reward_amount: 3 })).status)
      response.end('{"allow":true}')
    })

    assert.equal((await inNewBrowser(service, ann).signIn()).status, 200)
    assert.deepEqual(answered, [200, 200])
  })
})

describe('134. a hook that fails', () => {
  it.for([
    ['garbage', (response: ServerResponse) => response.end('<html>')],
    ['another status', (response: ServerResponse) => response.writeHead(500).end('{"allow":true}')],
    ['a success without content', (response: ServerResponse) => response.writeHead(204).end()],
    ['a redirect', (response: ServerResponse) => response.writeHead(302, { location: '/elsewhere' }).end()],
    ['an answer that is neither yes nor no', (response: ServerResponse) => response.end('{"allow":"true"}')],
    [
      '8 KiB and a byte',
      (response: ServerResponse) => response.end(`{"allow":true,"a":"${'a'.repeat(8 * 1024 - 20)}"}`),
    ],
    ['an endless answer', (response: ServerResponse) => pour(response)],
    [
      'a body that breaks off',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"allow":true}')
        response.destroy()
      },
    ],
    ['a connection that is closed', (response: ServerResponse) => response.destroy()],
    [
      'data with __proto__',
      (response: ServerResponse) => response.end('{"allow":true,"data":{"public":{"__proto__":{}}}}'),
    ],
    [
      'data that is too large',
      (response: ServerResponse) =>
        response.end(
          JSON.stringify({ allow: true, data: { public: { n: Array.from({ length: 2_000 }, () => 1e3) } } }).padEnd(
            8_191,
          ),
        ),
    ],
    [
      'data that is not UTF-8',
      (response: ServerResponse) =>
        response.end(Buffer.from('{"allow":true,"data":{"public":{"name":"Jos\xe9"}}}', 'latin1')),
    ],
    ['data for the user’s own', (response: ServerResponse) => response.end('{"allow":true,"data":{"own":{}}}')],
  ] as const)('checklist 134: with %s does what the administrator chose', async ([, how], { service, receiver }) => {
    await receiver.turnOn('before_sign_up')
    receiver.answers(how)
    const refused = await stranger(service).signUp()
    await receiver.turnOn('before_sign_up', { on_failure: 'allow' })
    const allowed = await stranger(service, 'dora@example.com').signUp()

    assertRefused(refused, 'HOOK_UNAVAILABLE')
    assert.equal(allowed.status, 200)
    assert.equal(await failures(service, 'before_sign_up'), '2')
  })

  it('checklist 134: with a secret that cannot sign, does what the administrator chose', async ({
    service,
    administrator,
    receiver,
  }) => {
    const answers = []
    for (const before_sign_up_secret of ['', 'sealed elsewhere'])
      for (const on_failure of ['refuse', 'allow']) {
        await receiver.turnOn('before_sign_up', { on_failure })
        await changeSettings(service, 'hooks', { before_sign_up_secret })
        answers.push(await stranger(service, `${answers.length}@example.com`).signUp())
      }

    assert.deepEqual(statuses(answers), [503, 200, 503, 200])
    assert.deepEqual(receiver.asked(), [])
    assert.equal((await administrator.post('/api/admin/rotate_hook_secret', { hook: 'before_sign_up' })).status, 200)
    assert.equal((await stranger(service, 'last@example.com').signUp()).status, 200)
    assert.equal(receiver.asked().length, 1)
  })

  it('checklist 134: cannot lose its secret while it is on', async ({ administrator, receiver }) => {
    await receiver.turnOn('before_sign_up')
    const version = async () => (await administrator.post('/api/admin/get_hooks_config')).body.version
    const remove = { before_sign_up_secret: { action: 'remove' } }
    const save = async (fields: object) =>
      administrator.post('/api/admin/update_hooks_config', { expected_version: await version(), ...fields })

    assertRefused(await save(remove), 'INVALID_REQUEST', 'before_sign_up_secret')
    assert.equal((await save({ ...remove, before_sign_up: { enabled: false } })).status, 200)
    assertRefused(
      await save({ ...remove, before_sign_up: { enabled: true } }),
      'INVALID_REQUEST',
      'before_sign_up_secret',
    )
  })

  it('checklist 134: by its silence, ends after its time', async ({ service, ann, receiver }) => {
    await receiver.turnOn('before_sign_in', { timeout_ms: 100 })
    receiver.answers(() => undefined)

    assertRefused(await inNewBrowser(service, ann).signIn(), 'HOOK_UNAVAILABLE')
  })

  it('checklist 134: with more than a hundred questions at once, is not asked', async ({ service, receiver }) => {
    const { questions } = service.platform
    const waiting: ServerResponse[] = []
    receiver.answers((response) => waiting.push(response))
    const hundred = Array.from({ length: 100 }, () =>
      questions.ask({ url: receiver.product.url, headers: {}, body: '{}', milliseconds: 3_000 }),
    )
    await receiver.turnOn('before_sign_up')
    const beyond = await stranger(service).signUp()
    while (waiting.length < 100) await new Promise((resolve) => setImmediate(resolve))
    for (const response of waiting) response.end('{"allow":true}')
    await Promise.all(hundred)
    receiver.says({ allow: true })
    const later = await stranger(service, 'dora@example.com').signUp()

    assertRefused(beyond, 'HOOK_UNAVAILABLE')
    assert.equal(later.status, 200)
  })

  it('checklist 127: with half of them for one user, still has room for the others', async ({
    service,
    ann,
    ben,
    receiver,
  }) => {
    await receiver.turnOn('before_sign_in')
    await receiver.turnOn('before_token', { timeout_ms: 3_000 })
    const waiting: ServerResponse[] = []
    receiver.product.behaviour.answer = (_, response, body) => {
      if (JSON.parse(body).type === 'before_token') waiting.push(response)
      else response.end('{"allow":true}')
    }
    const tokens = Array.from({ length: 101 }, () => ann.get('/api/auth/token'))
    // The others are refused at once.
    await Promise.race(tokens)
    while (waiting.length < 50) await new Promise((resolve) => setImmediate(resolve))
    const signedIn = await inNewBrowser(service, ben).signIn()
    for (const response of waiting) response.end('{"allow":true}')
    const answers = statuses(await Promise.all(tokens))

    assert.equal(signedIn.status, 200)
    assert.deepEqual([answers.filter((status) => status === 200).length, new Set(answers)], [50, new Set([503, 200])])
  })

  it('checklist 134: that answers twice says nothing about the next user', async ({
    service,
    administrator,
    ann,
    ben,
  }) => {
    const asked: string[] = []
    await using twice = await startTwice(asked)
    const hook = { enabled: true, url: twice.url, on_failure: 'refuse' }
    await administrator.saveSettings('hooks', { before_sign_in: hook })
    const first = await inNewBrowser(service, ann).signIn()
    await twice.saidAgain
    const second = await inNewBrowser(service, ben).signIn()

    assert.equal(first.status, 200)
    assertRefused(second, 'HOOK_REFUSED')
    assert.equal(asked.length, 2)
  })

  it('writes no value of the product’s into the log', async ({ service, receiver }) => {
    await receiver.turnOn('before_sign_up')
    receiver.says({ allow: true, data: { public: { plan: 'value-1' }, own: { a: 'value-2' } } })
    await stranger(service).signUp()

    assert.match(JSON.stringify(service.log.lines), /a hook failed/)
    assert.doesNotMatch(JSON.stringify(service.log.lines), /value-\d|carl@example/)
  })
})

describe('134. a hook before a token', () => {
  it('puts claims into the signed token, over those of the settings, and none with a reserved name', async ({
    administrator,
    ann,
    receiver,
  }) => {
    await administrator.post('/api/admin/update_user_data', { id: ann.id, public: { plan: { name: 'pro' }, a: 1 } })
    const claims = {
      plan: 'user.public.plan.name',
      none: 'user.public.none.deep',
      tier: { value: { level: 3 } },
      a: 'user.public.a',
    }
    await administrator.saveSettings('hooks', { claims })
    const mapped = claimsIn((await ann.get('/api/auth/token')).body.token)
    await receiver.turnOn('before_token')
    receiver.says({
      allow: true,
      claims: { a: 2, role: 'administrator', sub: 'other', Sub: 'other', ｒole: 'x', more: [1] },
    })
    const both = claimsIn((await ann.get('/api/auth/token')).body.token)

    const own = ({ plan, none, tier, a, more, role, sub }: Record<string, unknown>) => ({
      plan,
      none,
      tier,
      a,
      more,
      role,
      sub,
    })
    const common = { plan: 'pro', none: undefined, tier: { level: 3 }, role: 'user', sub: ann.id }
    assert.deepEqual(own(mapped), { ...common, a: 1, more: undefined })
    assert.deepEqual(own(both), { ...common, a: 2, more: [1] })
    assert.deepEqual(['Sub' in both, 'ｒole' in both], [false, false])
    assert.equal(receiver.asked()[0].context.method, 'signed')
    assert.deepEqual(receiver.asked()[0].user.public, { plan: { name: 'pro' }, a: 1 })
  })

  it('refuses the signed token', async ({ ann, receiver }) => {
    await receiver.turnOn('before_token')
    receiver.says({ allow: false, message: 'No.' })
    assertRefused(await ann.get('/api/auth/token'), 'HOOK_REFUSED')
    receiver.says({ allow: true, claims: { large: 'a'.repeat(4_096) } })
    assertRefused(await ann.get('/api/auth/token'), 'HOOK_UNAVAILABLE')
  })

  it('checklist 134: is asked at the token endpoint, and consumes neither code nor refresh token if it refuses', async ({
    administrator,
    ann,
    receiver,
  }) => {
    const shop = await register(administrator, { scopes: ['openid', 'email', 'offline_access'] })
    const { code, verifier } = await codeFor(ann, shop, { scope: 'openid offline_access' })
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier }
    await receiver.turnOn('before_token')
    receiver.says({ allow: false, message: 'No.' })
    const refused = await tokenRequest(ann, shop, form)
    receiver.says('nonsense')
    const failed = await tokenRequest(ann, shop, form)
    receiver.says({ allow: true, claims: { plan: 'pro', email: 'other@example.com' } })
    const tokens = await tokenRequest(ann, shop, form)
    const again = { grant_type: 'refresh_token', refresh_token: tokens.body.refresh_token }
    receiver.says({ allow: false })
    const kept = await tokenRequest(ann, shop, again)
    receiver.says({ allow: true, claims: { plan: 'basic' } })
    const renewed = await tokenRequest(ann, shop, again)

    assert.deepEqual(oauthError(refused), [400, 'access_denied'])
    assert.deepEqual(oauthError(failed), [503, 'temporarily_unavailable'])
    assert.deepEqual(oauthError(kept), [400, 'access_denied'])
    assert.deepEqual(statuses([tokens, renewed]), [200, 200])
    const identity = claimsIn(tokens.body.id_token ?? '')
    assert.deepEqual([identity.plan, identity.email], ['pro', undefined])
    assert.equal(claimsIn(renewed.body.id_token ?? '').plan, 'basic')
    assert.deepEqual(
      receiver.asked().map(({ context }) => [context.method, context.client_id]),
      [
        ...Array.from({ length: 3 }, () => ['authorization_code', shop.client_id]),
        ...Array.from({ length: 2 }, () => ['refresh_token', shop.client_id]),
      ],
    )
  })

  it('is asked for no token of a tool', async ({ ann, receiver }) => {
    await receiver.turnOn('before_token')
    await grantFor(ann, 'account:profile:read')

    assert.deepEqual(receiver.asked(), [])
  })
})

describe('a hook in the console', () => {
  const asks = (administrator: Person, path: string, hook: HookName) =>
    administrator.post(`/api/admin/${path}`, { hook })

  it('is tried with a sample, from which nothing comes', async ({ service, administrator, receiver }) => {
    assertRefused(await asks(administrator, 'try_hook', 'before_sign_up'), 'INVALID_REQUEST')
    await receiver.turnOn('before_sign_up', { enabled: false })
    receiver.says({ allow: true, data: { public: { plan: 'pro' } } })
    const allowed = await asks(administrator, 'try_hook', 'before_sign_up')
    receiver.says('<b>no</b>')
    const failed = await asks(administrator, 'try_hook', 'before_sign_up')
    const { body: listed } = await asks(administrator, 'list_hook_answers', 'before_sign_up')

    const { id, at, milliseconds, ...rest } = allowed.body
    assert.equal(id, receiver.asked()[0].id)
    assert.equal(at, service.clock.now())
    assert.ok(milliseconds >= 0)
    const answer = '{"allow":true,"data":{"public":{"plan":"pro"}}}'
    assert.deepEqual(rest, { status: 200, outcome: 'allowed', error: null, answer })
    assert.deepEqual(
      [failed.body.outcome, failed.body.error, failed.body.answer],
      ['failed', 'no_answer', '"<b>no</b>"'],
    )
    assert.deepEqual([listed.total, await failures(service, 'before_sign_up')], [0, '0'])
    assert.deepEqual(receiver.asked()[0].user.id, null)
  })

  it('shows its last ten answers, without what was said', async ({ service, administrator, ann, receiver }) => {
    await receiver.turnOn('before_sign_in')
    receiver.says({ allow: false, message: 'secret words' })
    await inNewBrowser(service, ann).signIn()
    receiver.says({ allow: true })
    for (let i = 0; i < 10; i++) await inNewBrowser(service, ann).signIn()
    receiver.says('', 500)
    await inNewBrowser(service, ann).signIn()
    const { body } = await asks(administrator, 'list_hook_answers', 'before_sign_in')

    const [newest, ...others] = body.items
    assert.deepEqual([newest.outcome, newest.status, newest.error], ['failed', 500, 'not_accepted'])
    assert.deepEqual(
      others.map(({ outcome }: { outcome: string }) => outcome),
      Array(9).fill('allowed'),
    )
    assert.doesNotMatch(JSON.stringify(body), /secret words|whsec_/)
  })

  it('shows the token that claims would make, and refuses names with a meaning', async ({
    administrator,
    receiver,
  }) => {
    const { id } = (await administrator.get('/api/auth/get-session')).body.user
    await administrator.post('/api/admin/update_user_data', { id, public: { plan: 'pro', big: 'a'.repeat(5_000) } })
    await receiver.turnOn('before_token')
    receiver.says({ allow: true, claims: { tier: 'gold', sub: 'other' } })
    const claims = { plan: 'user.public.plan', big: 'user.public.big', tier: { value: 'none' }, level: { value: 3 } }
    const { body } = await administrator.post('/api/admin/preview_token', { claims })
    const real = claimsIn((await administrator.get('/api/auth/token')).body.token)

    assert.deepEqual(
      [body.claims.plan, body.claims.big, body.claims.tier, body.claims.level],
      ['pro', undefined, 'gold', 3],
    )
    assert.equal(body.claims.sub, id)
    assert.deepEqual(
      Object.keys(real).toSorted(),
      Object.keys(body.claims)
        .filter((name) => !['plan', 'level'].includes(name))
        .toSorted(),
    )
    for (const name of ['sub', 'staff_scopes', 'ends'])
      assertRefused(
        await administrator.post('/api/admin/preview_token', { claims: { [name]: { value: 1 } } }),
        'INVALID_REQUEST',
      )
  })
})

describe('claims of the settings', () => {
  it.for([
    [{ sub: { value: 1 } }, 'claims.sub'],
    // Some readers of tokens take these for the same name.
    [{ SUB: { value: 1 } }, 'claims.SUB'],
    [{ '\u017fub': { value: 1 } }, 'claims.'],
    [{ 'role\u200b': { value: 1 } }, 'claims.'],
    [{ org_id: { value: 1 } }, 'claims.org_id'],
    [{ may_act: { value: 1 } }, 'claims.may_act'],
    [{ plan: 'user.private.plan' }, 'claims.plan'],
    [{ plan: 'user.public' }, 'claims.plan'],
    [{ plan: { value: 1e300 } }, 'claims.plan'],
    [Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`c${i}`, { value: i }])), 'claims'],
  ] as const)('refuse %j, with its path', async ([claims, path], { administrator }) => {
    const saved = await administrator.post('/api/admin/update_hooks_config', { expected_version: 1, claims })

    assert.deepEqual(
      [saved.status, saved.body.issues[0].path.startsWith(path)],
      [400, true],
      JSON.stringify(saved.body),
    )
  })

  it('refuse a reserved name in words that say so', async ({ administrator }) => {
    const claims = { sub: { value: 1 } }
    const { body } = await administrator.post('/api/admin/update_hooks_config', { expected_version: 1, claims })

    assert.deepEqual(body.issues, [{ path: 'claims.sub', message: 'This name has a meaning of its own.' }])
  })

  it('that do not fit into 4 KiB together are left out', async ({ administrator, ann }) => {
    const claims = { a: { value: 'a'.repeat(3_000) }, b: { value: 'b'.repeat(3_000) }, c: { value: 'c' } }
    await administrator.saveSettings('hooks', { claims })
    const { a, b, c } = claimsIn((await ann.get('/api/auth/token')).body.token)

    assert.deepEqual([a?.length, b, c], [3_000, undefined, 'c'])
  })
})

function pour(response: ServerResponse): void {
  response.writeHead(200)
  const more = () => {
    if (!response.destroyed && response.write('a'.repeat(64 * 1024))) setImmediate(more)
  }
  response.on('drain', more)
  more()
}

/** Lets the first one in, twice, and nobody after. */
async function startTwice(asked: string[]) {
  const said = Promise.withResolvers<void>()
  const answer = (allow: boolean) => {
    const body = JSON.stringify({ allow })
    return `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  }
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      asked.push(String(data))
      if (asked.length > 1) return socket.write(answer(false))
      socket.write(answer(true))
      // The client has read the first answer once it has given up the connection for the second.
      socket.once('close', () => said.resolve())
      return setImmediate(() => socket.write(answer(true)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    saidAgain: said.promise,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
