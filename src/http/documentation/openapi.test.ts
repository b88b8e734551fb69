import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { validate } from '@readme/openapi-parser'
import { stranger } from '../../../test/service/people.ts'
import { startService } from '../../../test/service/service.ts'
import { routes } from '../../app.ts'
import { callbackPath } from '../../features/provider-presets/presets.ts'

describe('/api/openapi.json', () => {
  it('is a valid OpenAPI 3.1 document by a published validator', async () => {
    await using service = await startService()

    const document = await stranger(service).get('/api/openapi.json')

    const result = await validate(structuredClone(document.body))
    assert.deepEqual(result.valid ? [] : result.errors, [])
    assert.equal(document.body.openapi, '3.1.0')
  })

  it('names every declared route', async () => {
    await using service = await startService()

    const { body } = await stranger(service).get('/api/openapi.json')

    for (const { path, method } of routes)
      assert.ok(body.paths[path]?.[method.toLowerCase()], `${method} ${path}`)
  })
  it('the callbacks of the providers are redirects', async () => {
    await using service = await startService()
    const visitor = stranger(service)

    const { body } = await visitor.get('/api/openapi.json')

    for (const path of Object.values(callbackPath)) {
      const { responses } = body.paths[path].get
      const answer = await visitor.get(path)
      assert.deepEqual(Object.keys(responses), [String(answer.status), 'default'], path)
      assert.ok(answer.headers.get('location'))
    }
  })
})

describe('/api/docs', () => {
  it('shows every route on a page without a script', async () => {
    await using service = await startService()

    const page = await stranger(service).get('/api/docs')

    assert.match(page.headers.get('content-type') ?? '', /text\/html/)
    assert.doesNotMatch(page.body, /<script/)
    for (const { path } of routes) assert.ok(page.body.includes(path), path)
  })
})
