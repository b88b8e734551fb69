import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { codeFor, register } from '../../../../test/service/applications.ts'
import { it } from '../../../../test/service/it.ts'
import { WITH_MAIL } from '../../../../test/service/with-mail.ts'

describe('a notice to an owner', () => {
  it.override('settings', WITH_MAIL)
  it.override('options', { env: { TRUSTED_PROXIES: '127.0.0.1' } })

  it('names the device and the continent in the language of the reader', async ({ service, ann }) => {
    const headers = {
      'accept-language': 'zh',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36',
      'cf-ipcontinent': 'EU',
    }
    const change = { currentPassword: ann.password, newPassword: 'nine bells at midnight' }

    const { status } = await ann.post('/api/auth/change-password', change, headers)

    assert.equal(status, 200)
    const [letter] = await service.mail.sentTo(ann.email)
    assert.match(letter?.text ?? '', /设备：Linux 上的 Chrome；地址：.*，欧洲/)
  })

  it('names the command-line client in the language of the letter', async ({ administrator }) => {
    const query = new URLSearchParams({ kind: 'tool connected', language: 'zh' })

    const { body } = await administrator.get(`/api/admin/preview_letter?${query}`)

    assert.match(body, /名称：命令行客户端/)
    assert.doesNotMatch(body, /Command-line client/)
  })

  it('keeps a name on one line that was stored before names were checked', async ({ service, administrator, ann }) => {
    const shop = await register(administrator)
    const name = 'Report\r\n\nCall this number:\u202enow'
    await service.platform.meta.updateTable('application').set({ name }).where('id', '=', shop.id).execute()

    await codeFor(ann, shop)

    const [letter] = await service.mail.sentTo(ann.email)
    assert.match(letter?.text ?? '', /^Name: Report Call this number: now; When: /m)
  })

  it('does not say “if this was you” about what somebody else did', async ({ administrator }) => {
    const usual = { en: /If this was you/, zh: /如果是您本人操作/ }
    for (const [language, words] of Object.entries(usual)) {
      const preview = (kind: string) =>
        administrator.get(`/api/admin/preview_letter?${new URLSearchParams({ kind, language })}`)

      for (const kind of ['passkey copied', 'factors removed', 'password reset on the host'])
        assert.doesNotMatch((await preview(kind)).body, words, kind)
      assert.match((await preview('passkey removed')).body, words)
    }
  })
})
