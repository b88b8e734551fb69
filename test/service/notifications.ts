import assert from 'node:assert/strict'
import { eachOf } from './answers.ts'
import { it as withService } from './it.ts'
import type { Answer } from './people.ts'

interface Fixtures {
  /** Published by the administrator, a second after the one before; returns the id. */
  readonly publish: (title: string, extra?: object) => Promise<string>
}

export const it = withService.extend<Fixtures>({
  publish: async ({ service, administrator }, use) => {
    await use(async (title, extra = {}) => {
      service.clock.advance({ seconds: 1 })
      const sent = { title, content: `About ${title}`, ...extra }
      const { status, body } = await administrator.post('/api/admin/create_notification', sent)
      assert.equal(status, 200, JSON.stringify(body))
      return body.id
    })
  },
})

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape that it reads.
export const titlesOf = (answer: Pick<Answer<any>, 'body'>) => eachOf(answer, 'title')
