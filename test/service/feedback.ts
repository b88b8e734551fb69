import assert from 'node:assert/strict'
import { eachOf } from './answers.ts'
import type { Person } from './people.ts'

/** Submits feedback, which is accepted; returns the id. */
export async function submitted(person: Person, content = 'Hello', type = 'idea'): Promise<string> {
  const { status, body } = await person.post('/api/submit_feedback', { type, content })
  assert.equal(status, 200, JSON.stringify(body))
  return body.id
}

/** The administrator's view, newest first: all of it, as many as the total says. */
export async function contentsListed(administrator: Person, filter: object = {}): Promise<readonly string[]> {
  const answer = await administrator.post('/api/admin/list_feedbacks', filter)
  assert.equal(answer.body.total, answer.body.items.length)
  return eachOf(answer, 'content')
}
