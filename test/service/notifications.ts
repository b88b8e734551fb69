import assert from 'node:assert/strict'
import { people } from './people.ts'
import type { Service } from './service.ts'

export const titlesOf = (answer: { readonly body: { readonly items: readonly { title: string }[] } }) =>
  answer.body.items.map(({ title }) => title)

export async function published(service: Service) {
  const persons = await people(service)
  const publish = async (title: string, extra: object = {}) => {
    service.clock.advance({ seconds: 1 })
    const body = { title, content: `About ${title}`, ...extra }
    const answer = await persons.administrator.post('/api/admin/create_notification', body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.id as string
  }
  return { ...persons, publish }
}
