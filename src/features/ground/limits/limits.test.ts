import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { linkVia, signInVia } from '../../../../test/providers/journey.ts'
import { it as inHouse } from '../../../../test/security/support/house.ts'
import { assertRefused, statuses } from '../../../../test/service/answers.ts'
import { resetByCode } from '../../../../test/service/mailed.ts'
import { from } from '../../../../test/service/new-browser.ts'
import { Person, stranger } from '../../../../test/service/people.ts'
import type { Options, Service } from '../../../../test/service/service.ts'

const HERE = from('203.0.113.7')
const BESIDE = from('203.0.113.8')
const HOME = from('198.51.100.9')

const it = inHouse.extend<{ readonly more: Options }>({
  more: { env: { TRUSTED_PROXIES: '127.0.0.0/8' } },
})

function changePassword(person: Person, headers?: Readonly<Record<string, string>>) {
  const passwords = { currentPassword: person.password, newPassword: 'a quieter walk in the snow' }
  return person.post('/api/auth/change-password', passwords, headers)
}

async function wrongly(service: Service, email: string, times: number, headers = {}) {
  const answers: Awaited<ReturnType<Person['signIn']>>[] = []
  const thief = new Person(service, email, 'not the password')
  for (let i = 0; i < times; i++) answers.push(await thief.signIn(headers))
  return answers
}

async function byHundredNetworks(service: Service, email: string) {
  for (let i = 0; i < 50; i++) await wrongly(service, email, 2, from(`203.0.${i}.7`))
}

describe('wrong passwords for one address', () => {
  it('ten are checked, the eleventh waits, right or wrong', async ({ service, ann, browser }) => {
    const ten = await wrongly(service, ann.email, 10)

    const eleventh = await browser().signIn()
    service.clock.advance({ seconds: 29 })
    const early = await browser().signIn()
    service.clock.advance({ seconds: 1 })
    const inTime = await browser().signIn()

    assert.deepEqual(statuses(ten), Array(10).fill(401))
    for (const answer of [eleventh, early]) assertRefused(answer, 'RATE_LIMITED')
    assert.deepEqual([eleventh.headers.get('retry-after'), early.headers.get('retry-after')], ['30', '1'])
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
      assert.deepEqual(statuses(await wrongly(service, ann.email, 1)), [401])
    }

    assert.deepEqual(waits, [30, 60, 120, 240, 480, 900, 900, 900])
  })

  it('fifty at once, over two processes, learn no more than ten', async ({ service, ann }) => {
    const processes = [service, { request: service.requestElsewhere }] as const

    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => new Person(processes[i % 2 ? 0 : 1], ann.email, `guess no. ${i}`).signIn()),
    )

    assert.deepEqual(statuses(answers).toSorted(), [...Array(10).fill(401), ...Array(40).fill(429)])
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

    assert.equal(session.body.user.id, ann.id)
    assert.deepEqual(statuses([await changePassword(ann), await ben.signIn()]), [200, 200])
  })

  it('are forgotten after a sign-in and a quarter of an hour', async ({ service, ann, ben, browser }) => {
    await wrongly(service, ann.email, 9)
    await browser().signIn()
    await wrongly(service, ben.email, 9)
    service.clock.advance({ minutes: 15 })

    for (const { email } of [ann, ben]) assert.deepEqual(statuses(await wrongly(service, email, 9)), Array(9).fill(401))
  })

  it('are forgotten after a reset by code: no stranger locks the owner out', async ({ service, ann }) => {
    await wrongly(service, ann.email, 20)

    await resetByCode(service, ann)

    assert.equal((await ann.signIn()).status, 200)
  })

  it('forgotten in one process are soon forgotten in the other', async ({ service, ann, browser }) => {
    const there = stranger({ ...service, request: service.requestElsewhere }, ann.email)
    for (let i = 0; i < 11; i++) await there.signIn()
    service.clock.advance({ seconds: 30 })
    await there.signIn()
    assert.equal((await there.signIn()).status, 429)
    service.clock.advance({ seconds: 60 })
    await browser().signIn()
    service.clock.advance({ seconds: 5 })

    for (let i = 0; i < 10; i++) assert.equal((await there.signIn()).status, 401)
  })
})

describe('checklist 72: wrong passwords within a stolen session', () => {
  it('do not delay the owner, who signs in again', async ({ service, ann, browser }) => {
    const thief = new Person(service, ann.email, 'not hers at all')
    thief.cookies.set('session', ann.cookies.get('session') ?? '')
    for (let i = 0; i < 10; i++) assert.equal((await changePassword(thief)).status, 401)
    assert.equal((await changePassword(thief)).status, 429)

    const again = browser()
    await again.signIn()

    assert.deepEqual(statuses([await changePassword(thief), await changePassword(again)]), [429, 200])
  })

  it('in many sessions leave each neighbourhood three, the owner the right one', async ({ service, ann }) => {
    await linkVia(ann, 'community')
    const guessIn = async (address: string, times: number) => {
      const thief = stranger(service, ann.email)
      await signInVia(thief, 'community')
      const answers = []
      for (let i = 0; i < times; i++) answers.push(await changePassword(thief, from(address)))
      return statuses(answers)
    }
    for (let i = 0; i < 10; i++) assert.deepEqual(await guessIn(`203.0.${i}.7`, 10), Array(10).fill(401))

    const beyond = [...(await guessIn('192.0.2.1', 2)), ...(await guessIn('192.0.2.9', 2))]
    const changed = await changePassword(ann, HOME)

    assert.deepEqual([...beyond, changed.status], [401, 401, 401, 429, 200])
  })
})

describe('checklist 72: a stranger’s wrong passwords', () => {
  it('hold up neither another network nor a known browser', async ({ service, ann, browser }) => {
    await wrongly(service, ann.email, 30, HERE)

    const answers = [await browser().signIn(HOME), await browser().signIn(HERE), await ann.signIn(HERE)]

    assert.deepEqual(statuses(answers), [200, 429, 200])
  })

  it('that never stop take none of the owner’s tries', async ({ service, ann, browser }) => {
    for (let poll = 0; poll < 60; poll++) {
      await wrongly(service, ann.email, 3, HERE)
      service.clock.advance({ seconds: 10 })
    }

    assert.deepEqual(statuses([await browser().signIn(HOME), await ann.signIn(HERE)]), [200, 200])
  })

  it('from 100 networks leave the owner a new browser, others three', async ({ service, ann, browser }) => {
    await byHundredNetworks(service, ann.email)

    const besieger = await wrongly(service, ann.email, 4, from('192.0.2.1'))
    const neighbour = await wrongly(service, ann.email, 1, from('192.0.2.200'))

    assert.deepEqual(statuses([...besieger, ...neighbour]), [401, 401, 401, 429, 429])
    for (let i = 0; i < 6; i++) {
      assert.equal((await browser().signIn(HOME)).status, 200)
      assert.equal((await ann.signIn(from('192.0.2.1'))).status, 200)
    }
  })

  it('from 100 networks leave the owner a try that has waited', async ({ service, ann, browser }) => {
    await wrongly(service, ann.email, 10, HOME)
    await byHundredNetworks(service, ann.email)

    const tooEarly = await wrongly(service, ann.email, 4, HOME)
    service.clock.advance({ seconds: 30 })
    const inTime = await browser().signIn(HOME)

    assert.deepEqual(statuses([...tooEarly, inTime]), [...Array(4).fill(429), 200])
  })

  it('count separately for a known browser, until a new password', async ({ service, ann, browser }) => {
    const thief = new Person(service, ann.email, 'not the password')
    thief.cookies.set('known_browser', ann.cookies.get('known_browser') ?? '')
    for (let i = 0; i < 10; i++) assert.equal((await thief.signIn(HERE)).status, 401)
    assert.equal((await thief.signIn(BESIDE)).status, 429)
    assert.equal((await browser().signIn(HERE)).status, 200)

    await resetByCode(service, ann)
    await wrongly(service, ann.email, 10, HERE)

    assert.deepEqual(statuses([await thief.signIn(HERE), await thief.signIn(BESIDE)]), [429, 401])
  })

  it('delay a user after whom five others have signed in in the same browser', async ({ service, ann, browser }) => {
    await wrongly(service, ann.email, 10, HERE)
    const statusBehind = async (others: readonly string[]) => {
      let last = ann
      for (const name of others) {
        const next = stranger(service, `${name}@example.com`)
        next.cookies.set('known_browser', last.cookies.get('known_browser') ?? '')
        await next.signUp()
        last = next
      }
      const again = browser()
      again.cookies.set('known_browser', last.cookies.get('known_browser') ?? '')
      return (await again.signIn(HERE)).status
    }

    assert.equal(await statusBehind(['carl', 'dora', 'emil', 'fay']), 200)
    assert.equal(await statusBehind(['gus', 'hal', 'ida', 'jan', 'kay']), 429)
  })

  it('are limited in the same way with a made-up cookie, or that of another user', async ({ service, ann, ben }) => {
    await wrongly(service, ann.email, 10, HERE)

    for (const cookie of ['a1.AAAA', 'x'.repeat(5_000), ben.cookies.get('known_browser') ?? '']) {
      const thief = new Person(service, ann.email, 'not the password')
      thief.cookies.set('known_browser', cookie)
      assert.equal((await thief.signIn(HERE)).status, 429)
    }
  })

  describe('on https', () => {
    it.override('more', { env: { APP_DOMAIN: 'id.example.com' } })

    it('leave the browser a sealed cookie that no page can read', async ({ service }) => {
      const { headers } = await stranger(service).signUp()

      assert.match(
        headers.getSetCookie().find((line) => line.includes('known_browser')) ?? '',
        /^__Host-known_browser=a1\.[\w-]+; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      )
    })
  })
})

describe('right passwords', () => {
  it('sixty from one network are checked, then that one waits', async ({ service, ann, ben }) => {
    for (let i = 0; i < 60; i++) assert.equal((await ann.signIn(HERE)).status, 200)

    const more = await ann.signIn(HERE)
    const others = [await ann.signIn(HOME), await ben.signIn(HERE)]
    service.clock.advance({ minutes: 15 })
    const later = await ann.signIn(HERE)

    assertRefused(more, 'RATE_LIMITED')
    assert.equal(more.headers.get('retry-after'), '900')
    assert.deepEqual(statuses([...others, later]), [200, 200, 200])
  })
})

describe('where no proxy is trusted', () => {
  it.override('more', {})

  it('a forwarded address is ignored', async ({ service, ann }) => {
    const tries = []
    for (let i = 0; i < 11; i++) {
      const eve = new Person(service, ann.email, 'not hers at all')
      tries.push(await eve.signIn(from(`203.0.113.${i}`)))
    }

    assert.equal(tries.at(-1)?.status, 429)
  })
})
