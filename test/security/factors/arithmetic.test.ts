import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { LIMITS } from '../../../src/features/ground/limits/limits.ts'
import { CLEAR_CHARACTERS } from '../../../src/rules/tokens.ts'
import type { AuthenticatorApp } from '../../service/devices/factors.ts'
import { from } from '../../service/new-browser.ts'
import { Person } from '../../service/people.ts'
import type { Options, Service } from '../../service/service.ts'
import { it as inHouse } from '../support/house.ts'

const SEND = '/api/auth/email-otp/send-verification-otp'
const VERIFY = '/api/auth/email-otp/verify-email'
const REQUEST_RESET = '/api/auth/email-otp/request-password-reset'
const RESET = '/api/auth/email-otp/reset-password'
const DAY = 24 * 3600

const it = inHouse.extend<{ readonly more: Options }>({
  more: { env: { TRUSTED_PROXIES: '127.0.0.0/8' } },
})

/** The numbers of networks that are calculated. */
const NETWORKS = [1, 100, 65_536] as const
type Three<T> = readonly [T, T, T]

interface Row {
  readonly right: readonly [codes: number, among: number] | undefined
  readonly tries: readonly number[]
  readonly chances: readonly string[]
}

const documented = rowsOf(readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8'))

function rowsOf(document: string): ReadonlyMap<string, Row> {
  const [, section = ''] = document.split('## The arithmetic of guessing')
  const cells = section
    .split('\n## ')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  return new Map((cells ?? []).slice(2).map(([name = '', right = '', ...rest]) => [name, rowOf(right, rest)]))
}

function rowOf(right: string, rest: readonly string[]): Row {
  const [codes, among] = right.split(' of ').map(numberIn)
  return {
    right: codes && among ? [codes, among] : undefined,
    tries: rest.slice(0, 3).map(numberIn),
    chances: rest.slice(3),
  }
}

function numberIn(cell: string): number {
  return Number(cell.replaceAll(',', ''))
}

/** Rounded to two digits. */
function inWords(chance: number): string {
  if (chance === 0) return 'none'
  const digits = 10 ** (Math.floor(Math.log10(1 / chance)) - 1)
  return `one in ${(Math.round(1 / chance / digits) * digits).toLocaleString('en')}`
}

function chanceOf([codes, among]: readonly [number, number], tries: number): number {
  return -Math.expm1(tries * Math.log1p(-codes / among))
}

const steadily = (tries: number): Three<number> => [tries, tries, tries]
const byNetwork = (of: (networks: number) => number) => NETWORKS.map(of)

const known = LIMITS['known-code-guesses'].most
const each = LIMITS['tries-under-attack'].most
const inKnownPlaces = byNetwork((n) => known + Math.min(n * each, LIMITS['further-code-guesses'].most))
const failures = LIMITS['account-failures'].most
const daily = ({ most, windowSeconds }: (typeof LIMITS)['beta-codes-by-user' | 'network-sign-ups']) =>
  (most * DAY) / windowSeconds
const byInvitees = daily(LIMITS['network-sign-ups']) * daily(LIMITS['beta-codes-by-user'])

/** The figures of the code. Each is counted below, or in the files that a comment names. */
const figures: Readonly<Record<string, readonly number[]>> = {
  'one-time code, second step, strangers': steadily(LIMITS['strangers-code-guesses'].most),
  'backup code, second step, strangers': steadily(LIMITS['strangers-code-guesses'].most),
  // Counted in `strangers-guesses.test.ts` and `one-time-codes.test.ts`.
  'one-time code, second step, known places': inKnownPlaces,
  'one-time code, inside sessions': inKnownPlaces,
  'mailed code, strangers': [15, 60, 60],
  'mailed code, where it was asked for, after those': [0, 72, 72],
  'mailed code, known browsers': steadily(60),
  'user code of a device, in its ten minutes': byNetwork((n) => n * LIMITS['user-codes-by-network'].most),
  'invitation code': byNetwork((n) => n * byInvitees),
  // Counted in `limits.test.ts`.
  'password, strangers': byNetwork((n) => failures + n * each),
}

describe('checklist 125: the arithmetic of docs/security.md', () => {
  test('has the tries that the limits allow', () => {
    const tries = Object.fromEntries([...documented].map(([name, row]) => [name, row.tries]))

    assert.deepEqual(tries, figures)
  })

  test('has the chances that follow from them', () => {
    for (const [name, { right, tries, chances }] of documented) {
      const follow = right ? tries.map((count) => inWords(chanceOf(right, count))) : ['', '', '']
      assert.deepEqual(chances, follow, name)
    }
  })

  test('counts the codes that can be right among all', () => {
    const among = (name: string) => documented.get(name)?.right

    assert.deepEqual(among('one-time code, second step, strangers'), [3, 10 ** 6])
    assert.deepEqual(among('invitation code'), [1, CLEAR_CHARACTERS.length ** 12])
  })
})

/** Some of this many networks, each in another neighbourhood. */
function networks(count: number): readonly string[] {
  const some = Math.min(count, 150)
  const at = (i: number) => Math.floor((i * count) / some)
  return Array.from({ length: some }, (_, i) => `203.${at(i) >> 8}.${at(i) & 255}.7`)
}

type Address = ReturnType<typeof from>

/** Goes on until a turn in which no code is compared. */
async function comparedInTurns(turn: () => Promise<number>): Promise<number> {
  let all = 0
  for (let compared = await turn(); compared > 0; compared = await turn()) all += compared
  return all
}

describe('checklist 125: at the second step, as many codes of strangers as documented are compared', () => {
  /** Begins the sign-in again as often as needed, and waits as long as it is told to. */
  async function comparedInADay(service: Service, ann: Person, app: AuthenticatorApp, count: number) {
    const thief = new Person(service, ann.email, ann.password)
    const end = service.clock.now() + DAY * 1000
    let compared = 0
    const guess = async (address: Address) => {
      await thief.signIn(address)
      const sent = compared % 2 === 0 ? ['totp', app.wrongCode()] : ['backup-code', 'bbbbb-bbbbb']
      return thief.post(`/api/auth/two-factor/verify-${sent[0]}`, { code: sent[1] }, address)
    }
    for (;;) {
      const before = compared
      const waits: number[] = []
      for (const network of networks(count)) {
        const { status, headers } = await guess(from(network))
        if (status === 400) compared += 1
        else waits.push(Number(headers.get('retry-after')))
      }
      if (compared > before) continue
      const seconds = Math.min(...waits)
      if (service.clock.now() + seconds * 1000 >= end) return compared
      service.clock.advance({ seconds })
    }
  }

  it.for(NETWORKS.map((count, column) => ({ count, column })))(
    'from $count networks',
    async ({ count, column }, { service, ann, app }) => {
      const compared = await comparedInADay(service, ann, app, count)

      for (const kind of ['one-time', 'backup'])
        assert.equal(compared, documented.get(`${kind} code, second step, strangers`)?.tries[column])
    },
  )
})

describe('checklist 125: as many mailed codes as documented are compared', () => {
  const asked = from('192.0.2.99')
  const ask = (person: Person, address = asked) =>
    person.post(SEND, { email: person.email, type: 'email-verification' }, address)

  async function wrongOtp({ mail }: Service, { email }: Person): Promise<string> {
    const sent = JSON.stringify(await mail.sentTo(email))
    return Array.from({ length: 100 }, (_, i) => String(i).padStart(6, '7')).find((otp) => !sent.includes(otp)) ?? ''
  }

  /** Three guesses in a row from there are compared; the fourth is not. */
  async function comparedFrom(service: Service, person: Person, address: Address, path = VERIFY) {
    const { email, password } = person
    const otp = await wrongOtp(service, person)
    let compared = 0
    while ((await person.post(path, { email, otp, password }, address)).body.code === 'INVALID_OTP') compared += 1
    return compared
  }

  /** One after the other, at the codes that are outstanding now. */
  async function comparedBy(service: Service, person: Person, addresses: readonly string[]) {
    let compared = 0
    for (const address of addresses) compared += await comparedFrom(service, person, from(address))
    return compared
  }

  it.for(NETWORKS.map((count, column) => ({ count, column })))(
    'of strangers in $count networks',
    async ({ count, column }, { service, ann }) => {
      const thief = new Person(service, ann.email, '')
      const compared = await comparedInTurns(async () => {
        service.clock.advance({ minutes: 5 })
        await ask(thief)
        return comparedBy(service, thief, networks(count))
      })

      assert.equal(compared, documented.get('mailed code, strangers')?.tries[column])
    },
  )

  it('where they were asked for, when strangers have used up theirs', async ({ service, ann }) => {
    const thief = new Person(service, ann.email, 'a quieter walk in the snow')
    await ask(thief)
    await comparedBy(service, thief, networks(100))

    let compared = await comparedFrom(service, thief, asked)
    for (let network = 1; network < 12; network++) {
      const address = from(`198.51.100.${network}`)
      await ask(thief, address)
      compared += await comparedFrom(service, thief, address)
    }
    for (let network = 21; network < 33; network++) {
      const address = from(`198.51.100.${network}`)
      await thief.post(REQUEST_RESET, { email: thief.email }, address)
      compared += await comparedFrom(service, thief, address, RESET)
    }

    const row = documented.get('mailed code, where it was asked for, after those')
    assert.deepEqual([0, compared, compared], row?.tries)
  })

  it('of all known browsers together, and where the code was asked for three more', async ({
    service,
    ann,
    browser,
  }) => {
    const known = Array.from({ length: 6 }, browser)
    for (const one of known) await one.signIn()
    const comparedIn = async (address: Address) => {
      let sum = 0
      for (const one of known) sum += await comparedFrom(service, one, address)
      return sum
    }

    const compared = await comparedInTurns(async () => {
      service.clock.advance({ minutes: 5 })
      await ask(ann)
      return comparedIn(from('198.51.100.9'))
    })
    const further = await comparedIn(asked)

    assert.deepEqual([compared, compared, compared], documented.get('mailed code, known browsers')?.tries)
    assert.equal(further, 3)
  })
})
