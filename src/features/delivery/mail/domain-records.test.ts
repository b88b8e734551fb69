import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { it } from '../../../../test/service/it.ts'

const DOMAIN = 'example.com'
/** A name server with these records, which does not answer for `broken`. */
const dnsWith = (records: Readonly<Record<string, readonly string[]>>, broken: readonly string[] = []) => ({
  async texts(name: string) {
    if (broken.includes(name)) throw new Error('queryTxt ETIMEOUT')
    return records[name] ?? []
  },
})
const SERVER = { provider: 'smtp', smtp_host: 'smtp.example.net' } as const

interface Checked {
  readonly kind: string
  readonly state: string
  readonly name: string
  readonly suggestion: string | null
}

const CASES: readonly (readonly [string, ReturnType<typeof dnsWith>, object, Readonly<Record<string, string>>])[] = [
  ['nothing is published', dnsWith({}), {}, { spf: 'missing', dkim: 'unknown', dmarc: 'missing' }],
  [
    'everything is sound',
    dnsWith({
      [DOMAIN]: ['google-site-verification=x', 'v=spf1 include:mail.example.net ~all'],
      [`mail._domainkey.${DOMAIN}`]: ['v=DKIM1; k=rsa; p=MIGf'],
      [`_dmarc.${DOMAIN}`]: ['v=DMARC1; p=quarantine'],
    }),
    {},
    { spf: 'found', dkim: 'found', dmarc: 'found' },
  ],
  [
    'SPF is there twice, the key was withdrawn, and the policy is none',
    dnsWith({
      [DOMAIN]: ['v=spf1 mx -all', 'v=spf1 a -all'],
      [`default._domainkey.${DOMAIN}`]: ['v=DKIM1; p='],
      [`_dmarc.${DOMAIN}`]: ['v=DMARC1; rua=mailto:a@example.com'],
    }),
    {},
    { spf: 'faulty', dkim: 'faulty', dmarc: 'faulty' },
  ],
  [
    'SPF lets everybody send',
    dnsWith({ [DOMAIN]: ['v=spf1 +all'] }),
    {},
    { spf: 'faulty', dkim: 'unknown', dmarc: 'missing' },
  ],
  [
    'a name server does not answer',
    dnsWith({}, [DOMAIN, `_dmarc.${DOMAIN}`]),
    {},
    { spf: 'unknown', dkim: 'unknown', dmarc: 'unknown' },
  ],
  [
    'the selector is sent',
    dnsWith({ [`x2026._domainkey.${DOMAIN}`]: ['p=MIGf'] }),
    { dkim_selector: 'x2026' },
    { spf: 'missing', dkim: 'found', dmarc: 'missing' },
  ],
  [
    'nothing is published under the selector that is sent',
    dnsWith({}),
    { dkim_selector: 'x2026' },
    { spf: 'missing', dkim: 'missing', dmarc: 'missing' },
  ],
]

describe('check_mail_domain', () => {
  it.for(CASES)('136. says so if %s', async ([, dns, sent, expected], { service, administrator }) => {
    Object.assign(service.platform, { names: dns })

    const { body } = await administrator.post('/api/admin/check_mail_domain', sent)

    const states = body.records.map(({ kind, state }: Checked) => [kind, state])
    assert.equal(body.domain, DOMAIN)
    assert.deepEqual(Object.fromEntries(states), expected)
  })

  it('136. asks for what the provider needs', async ({ service, administrator }) => {
    const dns = dnsWith({ [DOMAIN]: ['v=spf1 include:other.example ~all'] })
    Object.assign(service.platform, {
      names: dns,
      mail: { providers: ['smtp', 'api'], send: async () => undefined },
    })
    const suggestions = async () => {
      const { body } = await administrator.post('/api/admin/check_mail_domain')
      const [spf, dkim] = body.records as readonly Checked[]
      return [spf?.name, spf?.state, spf?.suggestion, dkim?.name, dkim?.state]
    }

    await administrator.saveSettings('email', {
      provider: 'api',
      api_key: { action: 'replace', value: 'key' },
    })
    const byApi = await suggestions()
    await administrator.saveSettings('email', { ...SERVER, smtp_host: 'email-smtp.eu-west-1.amazonaws.com' })
    const bySes = await suggestions()

    assert.deepEqual(byApi, [
      `send.${DOMAIN}`,
      'missing',
      'v=spf1 include:amazonses.com ~all',
      `resend._domainkey.${DOMAIN}`,
      'missing',
    ])
    assert.deepEqual(bySes.slice(0, 3), [DOMAIN, 'faulty', 'v=spf1 include:amazonses.com ~all'])
  })

  describe('of an address below a domain with a policy', () => {
    it.override('options', { env: { SYSTEM_EMAIL: 'admin@accounts.example.co.uk' } })

    it('136. finds the policy above', async ({ service, administrator }) => {
      Object.assign(service.platform, { names: dnsWith({ '_dmarc.example.co.uk': ['v=DMARC1; p=reject'] }) })

      const { body } = await administrator.post('/api/admin/check_mail_domain')

      const { name, state } = body.records[2] as Checked
      assert.deepEqual([name, state], ['_dmarc.example.co.uk', 'found'])
    })
  })

  it('136. takes no selector that is not a name', async ({ administrator }) => {
    const answer = await administrator.post('/api/admin/check_mail_domain', { dkim_selector: 'a b' })

    assertRefused(answer, 'INVALID_REQUEST', 'dkim_selector')
  })
})
