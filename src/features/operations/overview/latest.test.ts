import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { grantFor } from '../../../../test/service/grants.ts'
import { it } from '../../../../test/service/it.ts'
import { newcomer, Person } from '../../../../test/service/people.ts'
import { WITH_MAIL } from '../../../../test/service/with-mail.ts'

describe('list_latest', () => {
  it('has sign-ups, refusals, feedback and acts of assistants together, newest first, ten at most', async ({
    service,
    administrator,
    ann,
  }) => {
    const next = () => service.clock.advance({ minutes: 1 })
    next()
    const tool = await grantFor(ann, 'operations:feedback:write')
    await tool.post('/api/submit_feedback', { type: 'idea', content: 'By the assistant' })
    next()
    await new Person(service, ann.email, 'not the password').signIn()
    next()
    await newcomer(service)
    next()
    await ann.post('/api/submit_feedback', { type: 'idea', content: 'More\ndoors' })

    const { body } = await administrator.post('/api/admin/list_latest')

    const shown = body.items.map(({ kind, text }: Record<string, string>) => [kind, text])
    assert.deepEqual(shown.slice(0, 3), [
      ['feedback', 'More doors'],
      ['sign_up', ''],
      ['refusal', 'INVALID_EMAIL_OR_PASSWORD'],
    ])
    assert.deepEqual(shown.slice(3, 5).toSorted(), [
      ['assistant', ''],
      ['feedback', 'By the assistant'],
    ])
    assert.ok(body.items.length <= 10)
    assertRefused(await ann.post('/api/admin/list_latest'), 'FORBIDDEN')
  })
})

describe('get_overview, about mail', () => {
  it.override('settings', WITH_MAIL)

  it('says that mail works once the provider has accepted a letter', async ({ service, administrator, ann }) => {
    const works = async () => (await administrator.post('/api/admin/get_overview')).body.mail_works
    const before = await works()
    await ann.post('/api/auth/email-otp/request-password-reset', { email: ann.email })
    await service.runJob('mail')

    assert.deepEqual([before, await works()], [false, true])
  })
})
