import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { z } from 'zod'
import { routes } from '../src/app.ts'
import type { Route } from '../src/http/route.ts'
import { people } from './service/people.ts'
import { startService } from './service/service.ts'

const declared: readonly Route[] = routes

/** Each field of a JSON body that names a row; a client id is the name of a program, with rules of its own. */
const fields = declared
  .filter(({ method, access }) => method === 'POST' && access !== 'public')
  .flatMap(({ path, input }) => {
    const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
    const names = Object.keys(properties).filter((name) => /^(id|.*_id|accountId)$/.test(name))
    return names.filter((name) => !name.endsWith('client_id')).map((name) => ({ path, name }))
  })
  .concat({ path: '/api/auth/revoke-session', name: 'token' })

async function answersTo(id: string) {
  await using service = await startService()
  const { administrator } = await people(service)
  const answers = new Map<string, boolean>()
  for (const { path, name } of fields) {
    const { status, body } = await administrator.post(path, { [name]: id })
    const isRefused =
      status === 400 &&
      body.code === 'INVALID_REQUEST' &&
      body.issues.some((issue: { path: string }) => issue.path === name)
    answers.set(`${path} ${name}`, isRefused)
  }
  return answers
}

function everyField(isRefused: boolean) {
  return new Map(fields.map(({ path, name }) => [`${path} ${name}`, isRefused]))
}

describe('each id that a caller sends', () => {
  it('is refused when it is empty, longer than 128 characters or has a control character', async () => {
    for (const id of ['', 'x'.repeat(129), 'a\nb', 'a\tb', 'a\u007fb', 'a\u0085b']) {
      assert.deepEqual(await answersTo(id), everyField(true), JSON.stringify(id))
    }
  })

  it('can be any other text of 1 to 128 characters', async () => {
    for (const id of ['x', ' ', '雪'.repeat(128), "'; drop table"]) {
      assert.deepEqual(await answersTo(id), everyField(false), JSON.stringify(id))
    }
  })
})
