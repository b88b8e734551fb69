import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { enableProvider, linkVia, signInVia } from '../../../test/providers/journey.ts'
import { startPlainProvider } from '../../../test/providers/plain-provider.ts'
import { changeSettings } from '../../../test/service/change-settings.ts'
import { it } from '../../../test/service/it.ts'
import { from, inNewBrowser } from '../../../test/service/new-browser.ts'
import { Person, people, stranger } from '../../../test/service/people.ts'
import { type Service, startService } from '../../../test/service/service.ts'

const TRUSTED_FRONT = { TRUSTED_PROXIES: '127.0.0.0/8' }

function changePassword(person: Person, headers?: Readonly<Record<string, string>>) {
  const passwords = { currentPassword: person.password, newPassword: 'a quieter walk in the snow' }
  return person.post('/api/auth/change-password', passwords, headers)
}

describe('wrong passwords for one address', () => {
  it('ten are checked, the eleventh waits, right or wrong', async ({ service, ann }) => {
    const ten = await wrongly(service, ann.email, 10)

    const eleventh = await inNewBrowser(service, ann).signIn()
    service.clock.advance({ seconds: 29 })
    const early = await inNewBrowser(service, ann).signIn()
    service.clock.advance({ seconds: 1 })
    const inTime = await inNewBrowser(service, ann).signIn()

    for (const { status } of ten) assert.equal(status, 401)
    assert.deepEqual([eleventh.status, eleventh.body.code], [429, 'RATE_LIMITED'])
    assert.equal(eleventh.headers.get('retry-after'), '30')
    assert.deepEqual([early.status, early.headers.get('retry-after')], [429, '1'])
    assert.equal(inTime.status, 200)
  })

  it('waits grow with each further failure, up to a quarter of an hour', async ({ service, ann }) => {
    await wrongly(service, ann.email, 10)

    const waits: number[] = []
    for (let failure = 0; failure < 8; failure++) {
      const [refused] = await wrongly(service, ann.email, 1)
      const seconds = Number(refused?.headers.get('retry-after'))
      waits.push(seconds)
      service.clock.advance({ seconds })
      assert.equal((await wrongly(service, ann.email, 1))[0]?.status, 401)
    }

    assert.deepEqual(waits, [30, 60, 120, 240, 480, 900, 900, 900])
  })

  it('fifty at once, over two processes, learn no more than ten', async ({ service, ann }) => {
    const guess = (password: string) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: ann.email, password }),
    })

    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (i % 2 ? service.request : service.requestElsewhere)(
          '/api/auth/sign-in/email',
          guess(`guess no. ${i}`),
        ),
      ),
    )

    assert.equal(answers.filter(({ status }) => status === 401).length, 10)
    assert.equal(answers.filter(({ status }) => status === 429).length, 40)
  })

  it('are limited in the same way for an unknown address', async ({ service, ann }) => {
    const known = (await wrongly(service, ann.email, 11)).at(-1)
    const unknown = (await wrongly(service, 'nobody@example.com', 11)).at(-1)

    assert.deepEqual([known?.status, known?.body], [unknown?.status, unknown?.body])
    assert.equal(known?.status, 429)
  })

  it('do not delay any other address or an existing session', async ({ service, ann, ben }) => {
    await wrongly(service, ann.email, 30)

    const session = await ann.get('/api/auth/get-session')
    const changed = await ann.post('/api/auth/change-password', {
      currentPassword: ann.password,
      newPassword: 'a quieter walk in the snow',
    })

    assert.equal(session.body.user.id, ann.id)
    assert.equal(changed.status, 200)
    assert.equal((await ben.signIn()).status, 200)
  })

  it('are forgotten after a sign-in, and after a quarter of an hour', async ({ service, ann, ben }) => {
    await wrongly(service, ann.email, 9)
    await inNewBrowser(service, ann).signIn()
    await wrongly(service, ben.email, 9)
    service.clock.advance({ minutes: 15 })

    for (const { status } of await wrongly(service, ann.email, 9)) assert.equal(status, 401)
    for (const { status } of await wrongly(service, ben.email, 9)) assert.equal(status, 401)
  })

  it('are forgotten after a reset by code, so that a stranger cannot keep the owner out', async ({
    service,
  }) => {
    await changeSettings(service, 'email', { provider: 'smtp' })
    const { ann } = await people(service)
    await wrongly(service, ann.email, 20)
    await ann.post('/api/auth/email-otp/request-password-reset', { email: ann.email })
    const otp = await service.mail.codeFor(ann.email)

    await ann.post('/api/auth/email-otp/reset-password', { email: ann.email, otp, password: ann.password })

    assert.equal((await ann.signIn()).status, 200)
  })

  it('forgotten in one process are soon forgotten in the other', async ({ service, ann }) => {
    const there = stranger({ ...service, request: service.requestElsewhere }, ann.email)
    for (let i = 0; i < 11; i++) await there.signIn()
    service.clock.advance({ seconds: 30 })
    await there.signIn()
    assert.equal((await there.signIn()).status, 429)
    service.clock.advance({ seconds: 60 })
    await inNewBrowser(service, ann).signIn()
    service.clock.advance({ seconds: 5 })

    for (let i = 0; i < 10; i++) assert.equal((await there.signIn()).status, 401)
  })

  it('checklist 72: within a stolen session do not delay the owner, who signs in again', async ({
    service,
    ann,
  }) => {
    const thief = new Person(service, ann.email, 'not hers at all')
    thief.cookies.set('session', ann.cookies.get('session') ?? '')
    for (let i = 0; i < 11; i++) await changePassword(thief)
    const again = inNewBrowser(service, ann)
    await again.signIn()

    const waits = await changePassword(thief)
    const changed = await changePassword(again)

    assert.deepEqual([waits.status, changed.status], [429, 200])
  })

  it('in many sessions, which a thief opens at a provider, leave each neighbourhood three, and the owner the right one', async () => {
    await using forum = await startPlainProvider('community', { '/api/user': { id: 7, username: 'ann' } })
    await using service = await startService({ env: { ...TRUSTED_FRONT, COMMUNITY_AUTH_URL: forum.url } })
    await enableProvider(service, 'community')
    const { ann } = await people(service)
    await linkVia(ann, 'community')
    const guessIn = async (address: string, times: number) => {
      const thief = stranger(service, ann.email)
      await signInVia(thief, 'community')
      const statuses = []
      for (let i = 0; i < times; i++) statuses.push((await changePassword(thief, from(address))).status)
      return statuses
    }
    for (let i = 0; i < 10; i++) assert.deepEqual(await guessIn(`203.0.${i}.7`, 10), Array(10).fill(401))

    const beyond = [...(await guessIn('192.0.2.1', 2)), ...(await guessIn('192.0.2.9', 2))]
    const changed = await changePassword(ann, from('198.51.100.9'))

    assert.deepEqual([...beyond, changed.status], [401, 401, 401, 429, 200])
  })

  it('are counted within a session too, in case it was stolen', async ({ ann }) => {
    const guess = () =>
      ann.post('/api/auth/change-password', {
        currentPassword: 'not hers at all',
        newPassword: 'a quieter walk in the snow',
      })
    for (let i = 0; i < 10; i++) assert.equal((await guess()).status, 401)

    assert.equal((await guess()).status, 429)
    assert.equal((await ann.signIn()).status, 200)
  })
})

describe('72. a stranger’s wrong passwords', () => {
  it('checklist 72: hold up neither another network nor a browser that has signed in before', async () => {
    await using service = await startService({ env: TRUSTED_FRONT })
    const { ann } = await people(service)
    await wrongly(service, ann.email, 30, from('203.0.113.7'))

    const elsewhere = await inNewBrowser(service, ann).signIn(from('198.51.100.9'))
    const sameNetwork = await inNewBrowser(service, ann).signIn(from('203.0.113.7'))
    const knownBrowser = await ann.signIn(from('203.0.113.7'))

    assert.deepEqual([elsewhere.status, sameNetwork.status, knownBrowser.status], [200, 429, 200])
  })

  it('checklist 72: that never stop take none of the owner’s tries', async () => {
    await using service = await startService({ env: TRUSTED_FRONT })
    const { ann } = await people(service)
    for (let poll = 0; poll < 60; poll++) {
      await wrongly(service, ann.email, 3, from('203.0.113.7'))
      service.clock.advance({ seconds: 10 })
    }

    assert.equal((await inNewBrowser(service, ann).signIn(from('198.51.100.9'))).status, 200)
    assert.equal((await ann.signIn(from('203.0.113.7'))).status, 200)
  })

  it('checklist 72: from a hundred networks leave the owner a try in a new browser, and others three', async () => {
    await using service = await startService({ env: TRUSTED_FRONT })
    const { ann } = await people(service)
    for (let i = 0; i < 50; i++) await wrongly(service, ann.email, 2, from(`203.0.${i}.7`))

    const besieger = await wrongly(service, ann.email, 4, from('192.0.2.1'))
    const neighbour = await wrongly(service, ann.email, 1, from('192.0.2.200'))
    const owner = inNewBrowser(service, ann)
    const once = await owner.signIn(from('198.51.100.9'))
    const statuses = [...besieger, ...neighbour].map(({ status }) => status)

    assert.deepEqual(statuses, [401, 401, 401, 429, 429])
    assert.equal(once.status, 200)
    for (let i = 0; i < 5; i++) {
      assert.equal((await inNewBrowser(service, ann).signIn(from('198.51.100.9'))).status, 200)
      assert.equal((await ann.signIn(from('192.0.2.1'))).status, 200)
    }
  })

  it('checklist 72: from a hundred networks leave the owner a try that a wait has refused', async () => {
    await using service = await startService({ env: TRUSTED_FRONT })
    const { ann } = await people(service)
    const home = from('198.51.100.9')
    await wrongly(service, ann.email, 10, home)
    for (let i = 0; i < 50; i++) await wrongly(service, ann.email, 2, from(`203.0.${i}.7`))

    const tooEarly = await wrongly(service, ann.email, 4, home)
    service.clock.advance({ seconds: 30 })
    const inTime = await inNewBrowser(service, ann).signIn(home)

    assert.deepEqual(
      tooEarly.map(({ status }) => status),
      Array(4).fill(429),
    )
    assert.equal(inTime.status, 200)
  })

  it('checklist 72: count separately for a known browser, until the password changes', async () => {
    await using service = await startService({ env: TRUSTED_FRONT })
    await changeSettings(service, 'email', { provider: 'smtp' })
    const { ann } = await people(service)
    const thief = new Person(service, ann.email, 'not the password')
    thief.cookies.set('known_browser', ann.cookies.get('known_browser') ?? '')
    for (let i = 0; i < 10; i++) assert.equal((await thief.signIn(from('203.0.113.7'))).status, 401)
    assert.equal((await thief.signIn(from('203.0.113.8'))).status, 429)
    assert.equal((await inNewBrowser(service, ann).signIn(from('203.0.113.7'))).status, 200)

    await ann.post('/api/auth/email-otp/request-password-reset', { email: ann.email })
    const otp = await service.mail.codeFor(ann.email)
    await ann.post('/api/auth/email-otp/reset-password', { email: ann.email, otp, password: ann.password })
    await wrongly(service, ann.email, 10, from('203.0.113.7'))

    assert.equal((await thief.signIn(from('203.0.113.7'))).status, 429)
    assert.equal((await thief.signIn(from('203.0.113.8'))).status, 401)
  })

  it('checklist 72: are limited in the same way with a cookie that was made up, or is another user’s', async () => {
    await using service = await startService({ env: TRUSTED_FRONT })
    const { ann, ben } = await people(service)
    const cookies = ['a1.AAAA', 'x'.repeat(5_000), ben.cookies.get('known_browser') ?? '']
    await wrongly(service, ann.email, 10, from('203.0.113.7'))

    for (const cookie of cookies) {
      const thief = new Person(service, ann.email, 'not the password')
      thief.cookies.set('known_browser', cookie)
      assert.equal((await thief.signIn(from('203.0.113.7'))).status, 429)
    }
  })

  it('leave the browser a sealed cookie that no page can read', async () => {
    await using service = await startService({ env: { APP_DOMAIN: 'id.example.com' } })

    const { headers } = await stranger(service).signUp()

    const cookie = headers.getSetCookie().find((line) => line.includes('known_browser')) ?? ''
    assert.match(
      cookie,
      /^__Host-known_browser=a1\.[\w-]+; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
  })
})

describe('right passwords', () => {
  it('sixty for one account from one network are checked, then that network waits, and no other', async () => {
    await using service = await startService({ env: TRUSTED_FRONT })
    const { ann, ben } = await people(service)
    for (let i = 0; i < 60; i++) assert.equal((await ann.signIn(from('203.0.113.7'))).status, 200)

    const more = await ann.signIn(from('203.0.113.7'))
    const elsewhere = await ann.signIn(from('198.51.100.9'))
    const other = await ben.signIn(from('203.0.113.7'))
    service.clock.advance({ minutes: 15 })
    const later = await ann.signIn(from('203.0.113.7'))

    assert.deepEqual([more.status, more.body.code], [429, 'RATE_LIMITED'])
    assert.equal(more.headers.get('retry-after'), '900')
    assert.deepEqual([elsewhere.status, other.status, later.status], [200, 200, 200])
  })
})

async function wrongly(service: Service, email: string, times: number, headers = {}) {
  const answers: Awaited<ReturnType<Person['signIn']>>[] = []
  const thief = new Person(service, email, 'not the password')
  for (let i = 0; i < times; i++) answers.push(await thief.signIn(headers))
  return answers
}
