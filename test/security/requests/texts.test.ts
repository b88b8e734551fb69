import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused, statuses } from '../../service/answers.ts'
import { it } from '../../service/it.ts'
import type { Answer, Person } from '../../service/people.ts'

/** Texts without a visible character. */
const INVISIBLE = {
  spaces: ' \u00a0\u3000',
  'interlinear marks': '\ufff9\ufffa\ufffb',
  'marks of direction': '\u061c\u200e\u200f',
  'characters without width': '\u200b\u2060\u180e\ufeff\u00ad',
  'fillers of Hangul': '\u115f\u1160\u3164\uffa0',
  'selectors of variants': '\ufe0f\u{e0100}\u180b',
  tags: '\u{e0001}\u{e0061}\u{e007f}',
  'an empty cell of Braille': '\u2800',
  'an empty head of a note': '\u{1d159}',
}

type Send = (text: string) => Promise<Answer<{ readonly issues?: readonly { readonly path: string }[] }>>

/** Every place for a text that somebody will read, by its field; names are in `names.test.ts`. */
function places({ administrator, ann }: Record<'administrator' | 'ann', Person>, feedback: object) {
  const publish = (fields: object) =>
    administrator.post('/api/admin/create_notification', { title: 'One', content: 'C', ...fields })
  return {
    content: [
      (content) => ann.post('/api/submit_feedback', { type: 'idea', content }),
      (content) => publish({ content }),
    ],
    title: [(title) => publish({ title })],
    type: [(type) => publish({ type })],
    text: [(text) => administrator.post('/api/admin/reply_to_feedback', { ...feedback, text })],
    reason: [(reason) => administrator.post('/api/admin/suspend_user', { id: ann.id, reason })],
    name: [(name) => administrator.post('/api/admin/save_view', { list: 'users', name, filters: {} })],
  } satisfies Record<string, readonly Send[]>
}

describe('a text of which nothing can be seen', () => {
  it('is refused like an empty one, wherever somebody would read it', async ({ administrator, ann }) => {
    const { id } = (await ann.post('/api/submit_feedback', { type: 'idea', content: 'One' })).body

    for (const [field, senders] of Object.entries(places({ administrator, ann }, { id, user_id: ann.id }))) {
      for (const send of senders) {
        assertRefused(await send(''), 'INVALID_REQUEST', field)
        for (const [what, text] of Object.entries(INVISIBLE)) {
          const { status, body } = await send(text)
          assert.deepEqual([status, body.issues?.[0].path], [400, field], what)
        }
      }
    }
  })

  it('is accepted beside visible text, which is kept as it was sent', async ({ administrator, ann }) => {
    for (const [what, text] of Object.entries(INVISIBLE)) {
      const content = `${text}👩‍💻 é\n${text}`
      assert.equal((await ann.post('/api/submit_feedback', { type: 'idea', content })).status, 200, what)
      const { items } = (await administrator.post('/api/admin/list_feedbacks', { page_size: 1 })).body
      assert.equal(items[0].content, content, what)
    }
  })
})

describe('a field of the sender’s choice', () => {
  const OWN = JSON.parse('{ "constructor": "c", "prototype": "p", "tostring": "t", "hasownproperty": "h" }')
  const PROTO = JSON.parse('{ "page": "/", "__proto__": "lost" }')

  it('is kept whatever its name is, or refused by its path', async ({ administrator, ann }) => {
    const feedback = (context: object) => ann.post('/api/submit_feedback', { type: '', content: 'C', context })
    const view = (filters: object) =>
      administrator.post('/api/admin/save_view', { list: 'users', name: 'Mine', filters })

    const kept = [await feedback(OWN), await view(OWN)]
    assertRefused(await feedback(PROTO), 'INVALID_REQUEST', 'context.__proto__')
    assertRefused(await view(PROTO), 'INVALID_REQUEST', 'filters.__proto__')

    assert.deepEqual(statuses(kept), [200, 200])
    const feedbacks = (await administrator.post('/api/admin/list_feedbacks')).body.items
    const views = (await administrator.post('/api/admin/list_views')).body.items
    const own = (await ann.post('/api/list_own_feedbacks')).body.items
    assert.deepEqual([feedbacks[0].context, own[0].context, views[0].filters], [OWN, OWN, OWN])
  })

  it('is named where there is no such field', async ({ administrator, ann }) => {
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      const body = JSON.parse(`{ "type": "", "content": "C", "${name}": {} }`)
      assertRefused(await ann.post('/api/submit_feedback', body), 'INVALID_REQUEST', name)
      const inside = JSON.parse(`{ "items": [{ "type": "a", "email": "off", "${name}": 1 }] }`)
      const preferences = await ann.post('/api/update_notification_preferences', inside)
      assertRefused(preferences, 'INVALID_REQUEST', `items.0.${name}`)
      const saved = JSON.parse(`{ "expected_version": 1, "${name}": true }`)
      assertRefused(await administrator.post('/api/admin/update_credits_config', saved), 'INVALID_REQUEST', name)
    }
  })
})

describe('a search', () => {
  const LISTS = ['list_users', 'list_audit_entries', 'list_feedbacks', 'list_beta_codes']
  const STRANGE = {
    'a letter that grows in lower case': 'İ',
    'letters that shrink': 'ẞﬃ',
    'a pattern': '%_\\',
    'an end of a pattern': '\\',
    quotes: `'";--`,
    'sixty-four letters that grow': 'ﷺ'.repeat(3) + 'İ'.repeat(61),
    'accents alone': '\u0301\u0308',
  }

  it('for anything finds what has it, and nothing else', async ({ administrator, ann }) => {
    await ann.post('/api/submit_feedback', { type: '', content: 'Plain words' })

    for (const list of LISTS) {
      for (const [what, search] of Object.entries(STRANGE)) {
        const { status, body } = await administrator.post(`/api/admin/${list}`, { search })
        const isInAddresses = what === 'a letter that grows in lower case'
        assert.deepEqual([status, isInAddresses || body.total], [200, isInAddresses || 0], `${list}: ${what}`)
      }
      for (const unstorable of ['a\0', '\ud83d', '\ude00 \ude00']) {
        const answer = await administrator.post(`/api/admin/${list}`, { search: unstorable })
        assertRefused(answer, 'INVALID_REQUEST', 'search')
      }
    }
  })
})
