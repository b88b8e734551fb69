import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { it as base } from '../../../../test/service/it.ts'
import type { MailMessage, MailRoute } from '../../../platform/mail/mail.ts'

const PASSWORD = 'kept under lock'
const FIELDS = {
  provider: 'smtp',
  smtp_host: 'smtp.example.net',
  smtp_port: 2525,
  smtp_user: 'ann',
  smtp_password: { action: 'replace', value: PASSWORD },
} as const

describe('a mail server in the settings', () => {
  const routes: MailRoute[] = []
  const send = async (route: MailRoute, _message: MailMessage) => void routes.push(route)
  const it = base.override('options', { platform: { mail: { providers: ['smtp', 'api'], send } } })

  it('136. is used by the next letter, and its password is sealed and never shown', async ({
    service,
    administrator,
  }) => {
    const saved = await administrator.saveSettings('email', FIELDS)
    await administrator.post('/api/admin/send_test_email', { to: 'ann@example.com' })

    const { smtp_password: _, ...shown } = FIELDS
    assert.deepEqual(saved.body, {
      ...{ version: 2, ...shown, available_providers: ['smtp', 'api'] },
      ...{ api_key_configured: false, smtp_password_configured: true },
      ...{ smtp_url: null, api_url: 'https://api.resend.com' },
    })
    const route = routes.at(-1)
    assert.ok(route?.provider === 'smtp')
    assert.deepEqual(route.server(), {
      ...{ host: FIELDS.smtp_host, port: FIELDS.smtp_port, user: 'ann', password: PASSWORD },
    })
    const row = await service.platform.meta.primary.selectFrom('settings').select('email').executeTakeFirst()
    assert.ok(!row?.email.includes(PASSWORD))
  })

  it('136. keeps its password for itself: another server needs its own', async ({ administrator }) => {
    await administrator.saveSettings('email', FIELDS)
    const elsewhere = { expected_version: 2, smtp_host: 'smtp.thief.example' }

    const moved = await administrator.post('/api/admin/update_email_config', elsewhere)
    const kept = await administrator.post('/api/admin/update_email_config', {
      ...{ ...elsewhere, smtp_password: { action: 'keep' } },
    })
    const own = await administrator.saveSettings('email', {
      ...{ smtp_host: 'smtp.example.org', smtp_password: { action: 'replace', value: 'another' } },
    })

    for (const answer of [moved, kept]) assertRefused(answer, 'INVALID_REQUEST', 'smtp_password')
    assert.equal(own.status, 200)
  })

  it.for([
    ['', 'smtp_host'],
    ['http://smtp.example.net', 'smtp_host'],
    ['smtp.example.net/x', 'smtp_host'],
  ] as const)('136. %j is not one', async ([smtp_host, path], { administrator }) => {
    const sent = { ...FIELDS, expected_version: 1, smtp_host }

    assertRefused(await administrator.post('/api/admin/update_email_config', sent), 'INVALID_REQUEST', path)
  })
})

describe('the mail server of the deployment', () => {
  const smtpUrl = 'smtp://ann:secret@mail.example.com:587'
  const it = base.override('options', {
    platform: { mail: { providers: ['smtp', 'api'], smtpUrl, send: async () => undefined } },
  })

  it('136. is shown without its password, and needs no other', async ({ administrator }) => {
    const { body } = await administrator.saveSettings('email', { provider: 'smtp' })

    assert.equal((body as { smtp_url: string }).smtp_url, 'smtp://ann:••••@mail.example.com:587')
  })
})
