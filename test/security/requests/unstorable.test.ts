import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { questions } from '../../../bench/rows/asked-of-routes.ts'
import { takesQuery } from '../../../src/http/requests/form.ts'
import { assertRefused, oauthError } from '../../service/answers.ts'
import { bearer } from '../../service/applications.ts'
import { grantFor } from '../../service/grants.ts'
import { itWith } from '../../service/it.ts'
import { type Person, stranger } from '../../service/people.ts'

const it = itWith({
  email: { provider: 'smtp' },
  assistants: { registration: true },
  authentication: { email_changes: 'verified' },
})

/** Texts that a store would not keep as they are, each with the fault in the middle. */
const UNSTORABLE = { 'a lone surrogate': '\ud800', 'the other half': '\udc00', NUL: '\0' }
const FEEDBACK = '/api/submit_feedback'
const FORM_BODY = { 'content-type': 'application/x-www-form-urlencoded' }
const OF_PROGRAMS = '/api/get_approval'
/** Refused before anybody looks for them. */
const FEEDBACKS = ['nothing']

describe('a text that no store keeps as it is', () => {
  for (const [what, character] of Object.entries(UNSTORABLE))
    it(`is refused in every text of every route: ${what}`, async ({ service, administrator, ann }) => {
      const persons = { administrator, ann, nobody: stranger(service) }
      const { tokens } = await grantFor(ann, 'account:profile:read')
      let named = 0

      for (const { path, person, broken } of brokenRequests(persons, character)) {
        const headers = path === OF_PROGRAMS ? bearer(tokens.access_token) : {}
        const answer = await person.post(path, broken, headers)
        const { code, message, error, error_description } = answer.body
        // OAuth has its own spelling of the code.
        const said = `${answer.status} ${(code ?? error).toUpperCase()}`
        assert.equal(said, '400 INVALID_REQUEST', `${path} ${JSON.stringify(broken)}`)
        if (/lone surrogate|NUL/.test(message ?? error_description)) named++
      }

      assert.ok(named > 60, `only ${named} were refused because of it`)
    })

  it('is refused in the name of a field', async ({ administrator, ann }) => {
    for (const character of Object.values(UNSTORABLE)) {
      const odd = { [`a${character}b`]: 'c' }
      const body = { type: '', content: 'C', context: odd }
      assertRefused(await ann.post(FEEDBACK, body), 'INVALID_REQUEST', 'context')
      const view = { list: 'users', name: 'Mine', filters: odd }
      assertRefused(await administrator.post('/api/admin/save_view', view), 'INVALID_REQUEST', 'filters')
    }
  })

  it('is refused in a form, and as bytes', async ({ service, ann }) => {
    const form = (token: string | Buffer) =>
      stranger(service).send('/api/oauth/token', {
        method: 'POST',
        headers: FORM_BODY,
        body: Buffer.concat([
          Buffer.from('grant_type=refresh_token&client_id=cli-client&refresh_token=a'),
          Buffer.from(token),
        ]),
      })
    const bytes = Buffer.from([0xed, 0xa0, 0x80])
    const json = Buffer.concat([Buffer.from('{"type":"","content":"a'), bytes, Buffer.from('b"}')])

    const inForm = [await form('%ED%A0%80'), await form('%ff'), await form(bytes)]
    const sent = await ann.send(FEEDBACK, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: json,
    })

    assert.deepEqual(inForm.map(oauthError), Array(3).fill([400, 'invalid_request']))
    assertRefused(sent, 'INVALID_REQUEST')
    assert.deepEqual(oauthError(await form('%EF%BF%BD')), [400, 'invalid_grant'])
  })

  it('is not one with a whole surrogate pair, which is kept', async ({ administrator, ann }) => {
    const content = 'a\u{1f4a1}b \ufffd'

    assert.equal((await ann.post(FEEDBACK, { type: '', content })).status, 200)

    assert.equal((await administrator.post('/api/admin/list_feedbacks')).body.items[0].content, content)
  })
})

/** Each text that a route takes, in a request of its own. */
function* brokenRequests(persons: Readonly<Record<string, Person>>, character: string) {
  for (const { route, sentAt } of questions(FEEDBACKS)) {
    const { by, body = {} } = sentAt(0)
    const person = persons[by]
    if (!person || takesQuery(route)) continue
    for (const broken of brokenCopies(body, character)) yield { path: route.path, person, broken }
  }
}

/** Copies, one for each text in it, in which that text has the character in its middle. */
function brokenCopies(value: unknown, character: string): readonly unknown[] {
  if (typeof value === 'string') {
    const middle = Math.floor(value.length / 2)
    return [`${value.slice(0, middle)}${character}${value.slice(middle + 1)}`]
  }
  if (Array.isArray(value))
    return value.slice(0, 1).flatMap((item) => brokenCopies(item, character).map((copy) => [copy, ...value.slice(1)]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, field]) =>
    brokenCopies(field, character).map((copy) => ({ ...value, [key]: copy })),
  )
}
