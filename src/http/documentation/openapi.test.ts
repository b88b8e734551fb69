import assert from 'node:assert/strict'
import vm from 'node:vm'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { validate } from '@readme/openapi-parser'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe } from 'vitest'
import { changeSettings } from '../../../test/service/change-settings.ts'
import { MemoryLog } from '../../../test/service/fakes/memory-log.ts'
import { grantFor, postForm } from '../../../test/service/grants.ts'
import { it } from '../../../test/service/it.ts'
import { stranger } from '../../../test/service/people.ts'
import { startService } from '../../../test/service/service.ts'
import { unescaped } from '../../../test/service/unescaped.ts'
import { ask } from '../../../test/service/without-socket.ts'
import { routes } from '../../app.ts'
import { readConfig } from '../../config/config.ts'
import { StoreUnavailable } from '../../database/store.ts'
import { callbackPath } from '../../features/ground/provider-presets/presets.ts'
import { Refusals } from '../../platform/log/refusals.ts'
import { openMetrics } from '../../platform/metrics/metrics.ts'
import { NO_TRACES } from '../../platform/traces/traces.ts'
import { SCOPES } from '../../rules/scopes.ts'
import { answering } from '../answers/answering.ts'
import { refuseMissing } from '../answers/refuse.ts'
import type { Route } from '../route.ts'
import { Router } from '../router.ts'
import { serveDocumentation } from './documentation.ts'
import { lastLook } from './look.ts'

describe('/api/openapi.json', () => {
  it('is a valid OpenAPI 3.1 document by a published validator', async ({ service }) => {
    const document = await stranger(service).get('/api/openapi.json')

    const result = await validate(structuredClone(document.body))
    assert.deepEqual([result.valid ? [] : result.errors, document.body.openapi], [[], '3.1.0'])
  })

  it('causes no warning from a second validator with its own rules', async () => {
    await using service = await startService({ env: { PUBLIC_URL: 'https://id.gatehouse.dev' } })

    const { body } = await stranger(service).get('/api/openapi.json')

    const redirects = routes.flatMap((route: Route) =>
      route.access === 'public' && route.answer === 'redirect' ? [route.path] : [],
    )
    const problems = await lintFromString({
      source: JSON.stringify(body),
      absoluteRef: '/openapi.json',
      config: await createConfig({ extends: ['recommended-strict'] }),
    })
    // Routes that redirect also report mistakes with a redirect.
    const expected = redirects.map((path) => `operation-4xx-response #/paths/${path.replaceAll('/', '~1')}`)
    const found = problems.map(({ ruleId, location }) =>
      `${ruleId} ${location[0]?.pointer}`.replace(/\/get\/responses$/, ''),
    )
    assert.deepEqual(found.toSorted(), expected.toSorted())
  })

  it('says what is required, who must identify themselves and how, and what comes back', async () => {
    await using service = await startService({ env: { PUBLIC_URL: 'https://id.example.com' } })

    const { body } = await stranger(service).get('/api/openapi.json')

    const { paths, components, info } = body
    const formOf = (path: string) => paths[path].post.requestBody.content['application/x-www-form-urlencoded'].schema
    assert.deepEqual(formOf('/api/oauth/token').required, ['grant_type'])
    assert.deepEqual(formOf('/api/oauth/device_authorization').required, ['scope'])
    assert.equal(components.securitySchemes.session.name, '__Host-session')
    assert.match(info.description, /cli-client/)
    assert.deepEqual(Object.keys(paths['/metrics'].get.responses[200].content), ['text/plain'])
    assert.deepEqual(paths['/api/verify'].get.security, [{ session: [] }, { bearer: [] }])
    assert.deepEqual(paths['/api/auth/get-session'].get.security, [{}, { session: [] }, { bearer: [] }])
    assert.deepEqual(components.securitySchemes.application, { type: 'http', scheme: 'basic' })
    for (const path of ['/api/oauth/introspect', '/api/oauth/revocations'])
      assert.deepEqual(paths[path].post.security, [{ application: [] }], path)
    for (const path of ['/api/oauth/token', '/api/oauth/device_authorization', '/api/oauth/revoke'])
      assert.deepEqual(paths[path].post.security, [{}, { application: [] }], path)
    assert.match(paths['/api/oauth/introspect'].post.responses[401].description, /secret is missing or wrong/)
  })

  it('lists no token for a route that refuses every token', async ({ service, administrator }) => {
    const tool = await grantFor(administrator, ...Object.keys(SCOPES))
    const { body } = await stranger(service).get('/api/openapi.json')
    const offered = routes.filter(
      ({ method, path }) => path !== '/api/live' && body.paths[path][method.toLowerCase()]['x-scope'],
    )

    const forbidden: string[] = []
    for (const { method, path } of offered) {
      const authorization = `Bearer ${tool.tokens.access_token}`
      const { status } = method === 'GET' ? await administrator.get(path, { authorization }) : await tool.post(path)
      if (status === 401 || status === 403) forbidden.push(path)
    }

    assert.ok(offered.length > 40, `${offered.length} routes`)
    assert.deepEqual(forbidden, [])
  })

  it('lists the headers that /api/verify really sends', async ({ ann }) => {
    const { body } = await ann.get('/api/openapi.json')
    const { headers } = await ann.get('/api/verify')

    const listed = Object.keys(body.paths['/api/verify'].get.responses[200].headers)
    const sent = [...headers.keys()].filter((name) => /^x-(user|auth|act|org)-/.test(name))
    assert.deepEqual(listed.sort(), sent.sort())
  })

  it('names every route, with 4XX unless it redirects, and 401 and 403 if for callers', async ({ service }) => {
    const declared: readonly Route[] = routes
    const { body } = await stranger(service).get('/api/openapi.json')

    for (const { path, method, access } of declared) {
      const described = body.paths[path]?.[method.toLowerCase()]
      assert.ok(described, `${method} ${path}`)
      if (!('302' in described.responses)) assert.ok('4XX' in described.responses, path)
      if (access !== 'public') assert.ok('401' in described.responses && '403' in described.responses, path)
    }
  })

  it('names the command-line client in the metadata and in a refusal of another', async ({ service }) => {
    const visitor = stranger(service)

    const metadata = await visitor.get('/.well-known/oauth-authorization-server')
    const form = { grant_type: 'refresh_token', client_id: 'x' }
    const refused = await postForm(visitor, '/api/oauth/token', form)

    assert.deepEqual(metadata.body.client_ids, ['cli-client'])
    assert.match(refused.body.error_description, /cli-client/)
  })

  it('the callbacks of the providers are redirects', async ({ service }) => {
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

function documentationOf(readName: () => Promise<string>, described: readonly Route[] = routes): Router {
  const router = new Router()
  const config = readConfig({ APP_DOMAIN: 'accounts.example.com' })
  const [log, metrics] = [new MemoryLog(), openMetrics('service')]
  const answer = answering(
    { config, log, metrics, refusals: new Refusals(log, metrics), traces: NO_TRACES },
    refuseMissing,
    () => undefined,
    () => undefined,
  )
  const readLook = lastLook(
    async () => ({
      name: await readName(),
      logoUrl: null,
      logoDarkUrl: null,
      iconUrl: null,
      palette: null,
    }),
    'accounts.example.com',
  )
  serveDocumentation(router, described, answer, config, readLook)
  return router
}

describe('the documentation', () => {
  const PATHS = ['/api/openapi.json', '/api/docs', '/api/docs.css', '/api/docs.js'] as const

  it('is made once for a name, also for many at once, compressed once, and kept for five minutes', async () => {
    let made = 0
    const [first, ...others] = routes
    const counted = Object.defineProperty({ ...first }, 'summary', { get: () => `Made ${++made} times` })
    const app = documentationOf(async () => 'Acme', [counted, ...others])
    for (const path of PATHS) {
      const get = async (encoding: string) => {
        const answer = await ask(app, path, { headers: { 'accept-encoding': encoding } })
        return { headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
      }
      const before = made
      const [plain, brotli, again] = await Promise.all([get('identity, br;q=0'), get('gzip, br'), get('br')])
      const zipped = await get('deflate, gzip;q=0.5, x-br')

      assert.ok(made - before <= 1, `${path} was made ${made - before} times`)
      assert.deepEqual(
        [plain, brotli, zipped].map(({ headers }) => headers.get('content-encoding')),
        [null, 'br', 'gzip'],
      )
      assert.ok(brotliDecompressSync(brotli.bytes).equals(plain.bytes) && again.bytes.equals(brotli.bytes))
      assert.ok(gunzipSync(zipped.bytes).equals(plain.bytes))
      assert.equal(plain.headers.get('cache-control'), 'max-age=300')
      assert.equal(plain.headers.get('vary'), 'accept-encoding')
    }
  })

  it('is not sent again to a client that has it, even if a proxy has compressed it', async () => {
    let name = 'Acme'
    const app = documentationOf(async () => name)
    for (const path of PATHS) {
      const tag = (await ask(app, path)).headers.get('etag') ?? ''
      const status = async (known: string) => (await ask(app, path, { headers: { 'if-none-match': known } })).status

      assert.deepEqual([await status(tag), await status(`"a", W/${tag}`), await status('"a"')], [304, 304, 200])
    }
    const before = (await ask(app, PATHS[0])).headers.get('etag')
    name = 'Other'

    assert.notEqual((await ask(app, PATHS[0])).headers.get('etag'), before)
  })
})

describe('/api/docs', () => {
  it('shows commands with the credential and the parameters that are required', async ({ service }) => {
    const page = await (await service.request('/api/docs')).text()

    const commands = page.match(/(?<=<pre class="curl">)[^<]*/g) ?? []
    const commandOf = (path: string) => commands.find((command) => command.includes(`${path}&#39;`)) ?? ''
    for (const path of ['/api/verify', '/api/auth/token', '/api/oauth/userinfo'])
      assert.match(commandOf(path), /authorization: Bearer \$TOKEN/, path)
    for (const path of ['/api/oauth/introspect', '/api/oauth/revocations'])
      assert.match(commandOf(path), /-u &quot;\$CLIENT_ID:\$CLIENT_SECRET&quot;/, path)
    assert.match(commandOf('/api/oauth/token'), /grant_type=[^&]+&(amp;)?client_id=/)
    assert.match(commandOf('/api/oauth/revoke'), /token=[^&]+&(amp;)?client_id=/)
    assert.match(commandOf('/api/oauth/introspect'), /token=/)
  })

  it('keeps its name when the store is lost, and has the name of the host until it is read', async () => {
    let name = 'Acme & Co'
    const app = documentationOf(async () => name || Promise.reject(new StoreUnavailable('meta')))
    const title = async () => /<title>(.*)<\/title>/.exec(await (await ask(app, '/api/docs')).text())?.[1]

    const first = await title()
    name = ''

    assert.deepEqual([first, await title()], ['Acme &amp; Co API', 'Acme &amp; Co API'])
    const unread = documentationOf(() => Promise.reject(new StoreUnavailable('meta')))
    const away = await ask(unread, '/api/openapi.json')
    assert.equal(JSON.parse(await away.text()).info.title, 'accounts.example.com API')
  })

  it('is an error if its name cannot be read for another reason', async () => {
    const broken = documentationOf(() => Promise.reject(new TypeError('no letter')))

    assert.equal((await ask(broken, '/api/openapi.json')).status, 500)
  })

  it('shows every route with its fields and its code in three languages, whole without a script', async ({
    service,
  }) => {
    const page = await stranger(service).get('/api/docs')

    assert.match(page.headers.get('content-type') ?? '', /text\/html/)
    assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self'; connect-src 'self'/)
    for (const { path } of routes) assert.ok(page.body.includes(path), path)
    for (const language of ['curl', 'typescript', 'python'])
      assert.equal(page.body.split(`<pre class="${language}">`).length - 1, routes.length, language)
    assert.match(page.body, /<code>items\[\]\.redirect_uris<\/code>/)
    assert.doesNotMatch(page.body.replaceAll(/<pre[\s\S]*?<\/pre>|data-sample="[^"]*"/g, ''), /`/)
  })

  it('has code that each language can read', async ({ service }) => {
    const page = await (await service.request('/api/docs')).text()
    const codeIn = (language: string) =>
      [...page.matchAll(new RegExp(`<pre class="${language}">([\\s\\S]*?)</pre>`, 'g'))].map(([, code = '']) =>
        unescaped(code),
      )

    for (const code of codeIn('typescript')) new vm.Script(`async () => {${code}}`)
    assert.ok(codeIn('python').every((code) => /^import requests\n\nresponse = requests\.(get|post)\(\n/.test(code)))
    assert.ok(codeIn('python').some((code) => code.includes('True')))
  })

  it('has the colours of the installation', async ({ service }) => {
    const own = await (await service.request('/api/docs.css')).text()
    await changeSettings(service, 'brand', { accent: '#aa2200' })

    const branded = await (await service.request('/api/docs.css')).text()

    assert.match(own, /--accent: light-dark\(#1d5c4c, #86cfb4\)/)
    assert.doesNotMatch(branded, /#1d5c4c/)
  })
})
