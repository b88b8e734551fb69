import assert from 'node:assert/strict'
import { CALLBACK } from '../../service/applications.ts'
import type { Person } from '../../service/people.ts'

const longWord = 'drawbridge'.repeat(1_000)
const arabic = 'الجسر المتحرك يصدر صريرا (جدا)'
/** Characters that nobody sees. */
const withoutWidth = '\u200b\u202e\u2060'

type Who = 'administrator' | 'ann' | 'ben'

/** Words without an end, of another direction, of no width: wherever a person or the administrator can write. */
export async function writeUgly({ administrator, ann, ben }: Readonly<Record<Who, Person>>): Promise<void> {
  const given = [
    [ann, 'auth/update-user', { name: longWord.slice(0, 200) }],
    [ben, 'auth/update-user', { name: `Ben ${withoutWidth}` }],
    [administrator, 'auth/update-user', { name: arabic }],
    [ann, 'submit_feedback', { type: longWord.slice(0, 64), content: longWord }],
    [ann, 'submit_feedback', { type: 'idea', content: arabic }],
    [ann, 'submit_feedback', { type: arabic, content: 'A wish' }],
    [ben, 'submit_feedback', { type: 'idea', content: `A wish ${withoutWidth}` }],
    [ben, 'submit_feedback', { type: '愿望🙂', content: '桥梁'.repeat(400) + '👩‍👩‍👧‍👦'.repeat(60) }],
    [administrator, 'admin/suspend_user', { id: ann.id, reason: arabic }],
    [administrator, 'admin/create_application', { name: arabic, kind: 'browser', redirect_uris: [CALLBACK] }],
    [administrator, 'admin/declare_product_scope', { scope: 'product:bells:read', description: arabic }],
    [
      administrator,
      'admin/declare_product_scope',
      { scope: 'product:walls:write', description: longWord.slice(0, 200) },
    ],
    [administrator, 'create_personal_token', { name: arabic, scopes: ['account:profile:read'], expires_in_days: 30 }],
    [administrator, 'admin/create_notification', { title: arabic, type: arabic, content: longWord }],
    [
      administrator,
      'admin/create_notification',
      { title: longWord.slice(0, 200), type: longWord.slice(0, 64), content: arabic },
    ],
    [administrator, 'admin/generate_beta_codes', { count: 3 }],
    [administrator, 'auth/organization/create', { name: longWord.slice(0, 100) }],
    [administrator, 'auth/organization/create-team', { name: arabic }],
    [administrator, 'auth/organization/create', { name: arabic }],
  ] as const
  for (const [person, path, body] of given) assert.equal((await person.post(`/api/${path}`, body)).status, 200, path)
}
