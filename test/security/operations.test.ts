import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, eachOf } from '../service/answers.ts'
import { it as withService } from '../service/it.ts'
import type { Service } from '../service/service.ts'

const SECRETS = {
  provider: 'the-secret-of-provider-a',
  email: 'the-key-of-the-email-api',
  ai: 'the-key-of-the-ai',
}
const ANY_SECRET = /the-(secret|key)-of/
const replace = (value: string) => ({ action: 'replace', value })

/** The responses to saves that each set a secret. */
const it = withService.extend('saved', async ({ administrator }) => [
  await administrator.saveSettings('authentication', {
    provider_a_enabled: true,
    provider_a_client_id: 'id-of-a',
    provider_a_client_secret: replace(SECRETS.provider),
  }),
  await administrator.saveSettings('email', { provider: 'api', api_key: replace(SECRETS.email) }),
  await administrator.saveSettings('ai', { api_key: replace(SECRETS.ai) }),
])

describe('security checklist 64', () => {
  it('64: secrets never come back, whatever is read', async ({ service, administrator, ann, saved }) => {
    service.mail.refuse('401: the key is not valid')
    const parts = ['authentication', 'email', 'credits', 'ai']

    const seen = [
      ...saved,
      ...(await Promise.all(parts.map((part) => administrator.post(`/api/admin/get_${part}_config`)))),
      await administrator.post('/api/admin/update_email_config', {
        expected_version: 1,
        api_key: replace(`${SECRETS.email} again`),
      }),
      await administrator.post('/api/admin/update_ai_config', {
        expected_version: 'two',
        api_key: { action: 'replace', value: SECRETS.ai, extra: SECRETS.ai },
      }),
      await administrator.post('/api/admin/send_test_email', { to: 'ops@example.com' }),
      await administrator.post('/api/admin/list_audit_entries', { page_size: 100 }),
      await administrator.post('/api/export_account'),
      await ann.get('/api/client_config'),
    ]

    assert.doesNotMatch(JSON.stringify(seen.map(({ body }) => body)), ANY_SECRET)
    assert.doesNotMatch(JSON.stringify(service.log.lines), ANY_SECRET)
    const row = await service.platform.meta.selectFrom('settings').selectAll().executeTakeFirstOrThrow()
    assert.doesNotMatch(JSON.stringify(row), ANY_SECRET)
  })

  it('64: a save that omits a secret keeps it; a stale one is 409', async ({ administrator, saved: _ }) => {
    const save = (provider_a_client_id: string) =>
      administrator.post('/api/admin/update_authentication_config', {
        expected_version: 2,
        provider_a_client_id,
      })

    const kept = await save('another-id')
    const stale = await save('a-third-id')

    assert.equal(kept.body.provider_a_client_secret_configured, true)
    assertRefused(stale, 'CONFIG_CONFLICT')
    const after = await administrator.post('/api/admin/get_authentication_config')
    assert.equal(after.body.provider_a_client_id, 'another-id')
  })
})

async function publishMany(service: Service, count: number, target_user_id: string | null = null) {
  const rows = Array.from({ length: count }, (_, i) => ({
    id: `${target_user_id ?? 'all'}-${String(i).padStart(6, '0')}`,
    type: 'system',
    title: `T${i}`,
    content: 'c',
    target_user_id,
    level: 'info' as const,
    also_email: 0 as const,
    created_at: 1_000_000 + Math.floor(i / 7),
    updated_at: 0,
    archived_at: null,
  }))
  for (let at = 0; at < rows.length; at += 1_000) {
    const some = rows.slice(at, at + 1_000)
    await service.platform.meta.insertInto('notifications').values(some).execute()
  }
}

describe('security checklist 66', () => {
  it('66: totals are right past the end, and ties page stably', async ({ service, administrator, ann }) => {
    await publishMany(service, 100)
    for (let i = 0; i < 30; i++) await ann.post('/api/submit_feedback', { type: 'idea', content: `f${i}` })

    for (const [person, path, total] of [
      [ann, '/api/list_notifications', 100],
      [administrator, '/api/admin/list_feedbacks', 30],
    ] as const) {
      const ids: string[] = []
      for (let page = 1; ids.length < total; page++) {
        const answer = await person.post(path, { page, page_size: 7 })
        assert.equal(answer.body.total, total)
        ids.push(...eachOf(answer, 'id'))
      }
      const past = await person.post(path, { page: 999 })

      assert.equal(new Set(ids).size, total)
      assert.deepEqual(past.body, { items: [], total })
    }
  })

  it('66: nobody sees what is targeted at another, under any filter', async ({ service, ann, ben }) => {
    await publishMany(service, 20, ann.id)
    await publishMany(service, 3)

    for (const filter of [{}, { read: false }, { read: true }, { type: 'system' }, { page_size: 100 }]) {
      const { body } = await ben.post('/api/list_notifications', filter)

      assert.ok(body.total <= 3)
      assert.doesNotMatch(JSON.stringify(body), new RegExp(ann.id))
    }
    assert.deepEqual((await ben.post('/api/read_all_notifications')).body, { count: 3 })
    assert.deepEqual((await ann.post('/api/count_unread_notifications')).body, { count: 23 })
  })

  it('66: 10,000 visible rows take less than 100 ms of processor time', async ({ service, ann }) => {
    await publishMany(service, 10_000)
    const ask = () => ann.post('/api/list_notifications', { read: false, page: 250 })
    await ask()

    const times: number[] = []
    for (let i = 0; i < 7; i++) {
      const before = process.cpuUsage()
      const { body } = await ask()
      const { user, system } = process.cpuUsage(before)
      times.push((user + system) / 1000)
      assert.deepEqual([body.total, body.items.length], [10_000, 20])
    }

    const median = times.sort((a, b) => a - b)[3] ?? Number.POSITIVE_INFINITY
    assert.ok(median < 100, `the median was ${median} ms`)
  })
})
