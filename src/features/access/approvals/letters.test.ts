import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { bearer } from '../../../../test/service/applications.ts'
import { needs } from '../../../../test/service/approvals.ts'
import { grantFor } from '../../../../test/service/grants.ts'
import { it as withService } from '../../../../test/service/it.ts'
import { stranger } from '../../../../test/service/people.ts'
import { openPage } from '../../../../test/service/wire/live-page.ts'
import { WITH_MAIL } from '../../../../test/service/with-mail.ts'
import { LETTER_AFTER_MILLISECONDS } from './rules.ts'

interface Given {
  /** A call of an assistant, which waits for Ann. */
  readonly ask: (content: string) => Promise<string>
  /** The letters to Ann about calls that wait, once they are due. */
  readonly letters: () => Promise<readonly { readonly subject: string; readonly text: string }[]>
}

const it = withService.extend<Given>({
  ask: async ({ service, administrator, ann }, use) => {
    await administrator.post('/api/admin/mark_verified', { id: ann.id })
    const tool = await grantFor(ann, 'operations:feedback:write')
    await needs(ann, 'writes')
    await use(async (content) => {
      const token = bearer(tool.tokens.access_token)
      const { body } = await stranger(service).post('/api/submit_feedback', { type: 'idea', content }, token)
      return body.approval_id
    })
  },
  letters: async ({ service, ann }, use) =>
    use(async () => {
      service.clock.advance({ milliseconds: LETTER_AFTER_MILLISECONDS })
      await service.runJob('approval-letters')
      await service.runJob('announcement-mail')
      const sent = await service.mail.sentTo(ann.email)
      return sent.filter(({ unsubscribe }) => unsubscribe !== undefined)
    }),
})

describe('a letter about a call that waits', () => {
  it.override('settings', WITH_MAIL)

  it('quotes it in the user’s language and leads to the page that asks, when no page is open', async ({
    service,
    ann,
    ask,
    letters,
  }) => {
    await ann.post('/api/count_unread_notifications', {}, { 'accept-language': 'zh' })
    const id = await ask('More doors')

    const [letter, ...others] = await letters()

    assert.deepEqual(others, [])
    assert.equal(letter?.subject, 'Command-line client 想要发送反馈')
    assert.match(letter?.text ?? '', /类型: idea\n内容: More doors\n以您的名义发送反馈。/)
    assert.ok(letter?.text.includes(`${service.config.baseUrl}/settings/access?approval=${id}`))
  })

  it('does not go to somebody who has a page open', async ({ service, ann, ask, letters }) => {
    const page = await openPage(service, ann)
    await page.next()
    await ask('More doors')
    await service.runJob('events')
    await page.next()
    await page.close()

    assert.deepEqual(await letters(), [])
  })

  it('tells of all that wait, once, and of none that was decided', async ({ ann, ask, letters }) => {
    await ask('One')
    await ask('Two')
    await ann.post('/api/decide_approval', { id: await ask('Three'), approve: false })

    const [letter] = await letters()
    const later = await letters()

    assert.equal(letter?.subject, '2 actions wait for your approval')
    assert.match(letter?.text ?? '', /One.*Two/s)
    assert.doesNotMatch(letter?.text ?? '', /Three/)
    assert.equal(later.length, 1)
  })

  it('has a way to unsubscribe, after which no other goes', async ({ ann, ask, letters }) => {
    await ann.post('/api/update_notification_preferences', { items: [{ type: 'approval', email: 'off' }] })
    await ask('More doors')

    assert.deepEqual(await letters(), [])
  })
})
