import assert from 'node:assert/strict'
import type { Person } from '../people.ts'
import type { Service } from '../service.ts'

interface Told {
  readonly event?: string
  readonly id?: string
  readonly data?: { readonly count?: number; readonly title?: string; readonly type?: string }
}

/** Reads the stream of `/api/live` event by event. */
export async function openPage(
  service: Pick<Service, 'request'>,
  person: Pick<Person, 'token'>,
  headers: Record<string, string> = {},
) {
  const authorization = `Bearer ${person.token}`
  const response = await service.request('/api/live', { headers: { authorization, ...headers } })
  const reader = (response.body ?? assert.fail()).getReader()
  const decoder = new TextDecoder()
  let text = ''
  return {
    response,
    /** Undefined at the end. */
    async block(): Promise<string | undefined> {
      while (!text.includes('\n\n')) {
        const { value, done } = await reader.read()
        if (done) return undefined
        text += decoder.decode(value, { stream: true })
      }
      const [block, ...rest] = text.split('\n\n')
      text = rest.join('\n\n')
      return block
    },
    async next(): Promise<Told> {
      const block = await this.block()
      if (block === undefined) return { event: 'closed' }
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)))
      if (fields.event === undefined) return this.next()
      return { ...fields, data: JSON.parse(fields.data) }
    },
    close: () => reader.cancel(),
  }
}
