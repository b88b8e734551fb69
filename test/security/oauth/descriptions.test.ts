import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'
import { oauthFault } from '../../../src/rules/refusal.ts'
import { basic } from '../../service/applications.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { postForm } from '../../service/grants.ts'
import { itWith, visit } from '../../service/shop.ts'

const it = itWith({})
const sources = fileURLToPath(new URL('../../../src', import.meta.url))

/** RFC 6749 sections 4.1.2.1 and 5.2. */
const DESCRIPTION = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/

/** The places of descriptions: after the error, or after the exchange. */
const WRITTEN = /\b(?:oauthRefusal|oauthFault|unproven)\(\s*(?:'\w+'|[\w.]+),\s*('(?:[^'\\]|\\.)*'|"[^"]*"|`[^`]*`)/g

const HOSTILE = ['"', '\\', '“quoted”', '\u202e', 'é', '\u007f', '\t'] as const

describe('an error_description', () => {
  it('is printable ASCII without double quotes and backslashes, as written', () => {
    const written = globSync('**/*.ts', { cwd: sources })
      .filter((file) => !file.endsWith('.test.ts'))
      .flatMap((file) => [...readFileSync(`${sources}/${file}`, 'utf8').matchAll(WRITTEN)])
      .map(([, literal = '']) => literal.slice(1, -1))

    assert.ok(written.length > 50, String(written.length))
    assert.deepEqual(
      written.filter((text) => !DESCRIPTION.test(text)),
      [],
    )
  })

  it('is so whatever words it is made of', () => {
    const { error_description } = oauthFault('invalid_request', `Say "a" or “é”${HOSTILE.join('')}`)

    assert.match(error_description, DESCRIPTION)
    assert.equal(error_description.slice(0, 14), "Say 'a' or '?'")
  })

  it('is so whatever the client sends', async ({ service, shop, ann }) => {
    await changeSettings(service, 'assistants', { registration: true })
    const redirect_uris = ['http://127.0.0.1/callback']
    for (const text of HOSTILE) {
      const answers = [
        await postForm(ann, '/api/oauth/token', { grant_type: text }, basic(shop)),
        await postForm(ann, '/api/oauth/token', { grant_type: 'refresh_token', client_id: text }),
        await postForm(ann, '/api/oauth/device_authorization', { scope: text }, basic(shop)),
        await ann.post('/api/oauth/register', { redirect_uris, token_endpoint_auth_method: text }),
        await ann.post('/api/oauth/register', { redirect_uris: text }),
      ]
      const redirects = [{ scope: text }, { response_mode: text }, { prompt: text }, { resource: text }]
      const led = await Promise.all(redirects.map((changes) => visit(ann, shop, changes)))

      for (const { body } of answers) assert.match(body.error_description, DESCRIPTION)
      for (const { headers } of led) {
        const { searchParams } = new URL(headers.get('location') ?? '')
        assert.match(searchParams.get('error_description') ?? '', DESCRIPTION)
      }
    }
  })
})
