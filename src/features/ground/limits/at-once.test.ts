import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, statuses } from '../../../../test/service/answers.ts'
import { changeSettings } from '../../../../test/service/change-settings.ts'
import { it as withService } from '../../../../test/service/it.ts'
import { from } from '../../../../test/service/new-browser.ts'
import { type Answer, Person, stranger } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'
import { LIMITS } from './limits.ts'

const HERE = from('203.0.113.7')
const ELSEWHERE = from('198.51.100.9')

const it = withService.extend('options', { env: { TRUSTED_PROXIES: '127.0.0.0/8' } })

/** Sends the requests at the same moment, alternating between two processes. */
function atOnce(
  service: Service,
  count: number,
  send: (service: Service, i: number) => Promise<Answer<{ code?: string }>>,
) {
  const elsewhere = { ...service, request: service.requestElsewhere }
  return Promise.all(Array.from({ length: count }, (_, i) => send(i % 2 === 0 ? service : elsewhere, i)))
}

function withStatus(answers: readonly { readonly status: number }[], status: number): number {
  return statuses(answers).filter((one) => one === status).length
}

describe('uses at the same moment', () => {
  it('right passwords from one network pass as often as they do one by one, and each counts', async ({
    service,
    ann,
  }) => {
    const { most } = LIMITS['sign-ins']
    const answers = await atOnce(service, most + 10, (at) => new Person(at, ann.email, ann.password).signIn(HERE))
    const later = await new Person(service, ann.email, ann.password).signIn(HERE)
    const other = await new Person(service, ann.email, ann.password).signIn(ELSEWHERE)

    assert.deepEqual([withStatus(answers, 200), withStatus(answers, 429)], [most, 10])
    assertRefused(later, 'RATE_LIMITED')
    assert.equal(other.status, 200)
  })

  it('sign-ups beyond the limit of a network hold up nobody’s address', async ({ service }) => {
    await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 60 })
    const { most } = LIMITS['network-sign-ups']
    const signUp = (at: Service, i: number, headers: Readonly<Record<string, string>>) => {
      const email = `person-${i}@example.com`
      return stranger(at).post(
        '/api/auth/sign-up/email',
        { email, name: email, password: 'a walk in the snow' },
        headers,
      )
    }
    const answers = await atOnce(service, most + 4, (at, i) => signUp(at, i, HERE))
    const refused = answers.flatMap(({ status }, i) => (status === 429 ? [i] : []))
    const again: Answer<unknown>[] = []
    for (const i of refused) again.push(await signUp(service, i, ELSEWHERE))

    assert.equal(withStatus(answers, 200), most)
    assert.deepEqual(statuses(again), [200, 200, 200, 200])
  })

  it('of requests for a code to one address one passes, and the others count for their network', async ({
    service,
    ann,
  }) => {
    await changeSettings(service, 'authentication', { email_user_action_cooldown_seconds: 60 })
    await changeSettings(service, 'email', { provider: 'smtp' })
    const { most } = LIMITS['network-code-requests']
    const ask = (at: Service, headers = HERE) =>
      stranger(at).post('/api/auth/email-otp/request-password-reset', { email: ann.email }, headers)
    const answers = await atOnce(service, 20, (at) => ask(at))
    for (let i = 20; i < most; i++) await ask(service)
    const beyond = await ask(service)
    const other = await ask(service, ELSEWHERE)

    assert.deepEqual([withStatus(answers, 200), withStatus(answers, 429)], [1, 19])
    assertRefused(beyond, 'RATE_LIMITED')
    assertRefused(other, 'EMAIL_ACTION_RATE_LIMITED')
  })
})
