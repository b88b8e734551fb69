import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'

const ELSEWHERE = [
  '/.//evil.example',
  '/x/..//evil.example',
  '/%2e//evil.example',
  '/..//',
  '//[',
  '/\\evil.example',
]

describe('checklist 92: an address to continue at', () => {
  for (const next of ELSEWHERE) {
    it(`opens the page and is a path of ours, or refused: ${next}`, async ({ service, ann }) => {
      const query = new URLSearchParams({ next, return_to: next, to: next })

      for (const path of ['/sign-in', '/return', '/sign-up', '/']) {
        const page = await stranger(service).get(`${path}?${query}`)
        assert.deepEqual([page.status, page.headers.get('location')], [200, null], path)
      }
      const signedIn = await ann.post('/api/auth/sign-in/email', {
        email: ann.email,
        password: ann.password,
        callbackURL: next,
      })

      assert.deepEqual([signedIn.status, signedIn.body.code], [400, 'INVALID_REQUEST'])
    })
  }
})
