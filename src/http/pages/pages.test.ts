import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, describe, it } from 'vitest'
import { MemoryLog } from '../../../test/service/fakes/memory-log.ts'
import { ask } from '../../../test/service/without-socket.ts'
import { readConfig } from '../../config/config.ts'
import { StoreUnavailable } from '../../database/store.ts'
import { Refusals } from '../../platform/log/refusals.ts'
import { openMetrics } from '../../platform/metrics/metrics.ts'
import { NO_TRACES } from '../../platform/traces/traces.ts'
import { answering } from '../answers/answering.ts'
import { refuseMissing } from '../answers/refuse.ts'
import { Router } from '../router.ts'
import { loadPages } from './page-files.ts'
import { servePages } from './pages.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pages-'))
mkdirSync(join(folder, 'assets'))
writeFileSync(
  join(folder, 'index.html'),
  '<!doctype html><html lang="en"><head><title>Home</title></head><noscript></noscript>',
)
writeFileSync(join(folder, 'assets', 'index-abc123.js'), 'export const answer = 42')
for (const script of ['front-abc123', 'inside-abc123', 'en-front-abc123', 'en-inside-abc123'])
  writeFileSync(join(folder, 'assets', `${script}.js`), 'export const answer = 43')
writeFileSync(join(folder, '.sources'), 'not for anybody')
afterAll(() => rmSync(folder, { recursive: true }))

const acme = async () => ({
  title: 'Acme & </title>',
  iconUrl: '/logo?v=1',
  styleUrl: null,
  ground: null,
  config: { name: '</script>' },
  supportEmail: 'help@acme.example',
})

function pagesOf(env: Readonly<Record<string, string>> = {}, facts = acme, log = new MemoryLog()): Router {
  const router = new Router()
  const config = readConfig(env)
  const metrics = openMetrics('service')
  const platform = { config, log, metrics, refusals: new Refusals(log, metrics), traces: NO_TRACES }
  const answer = answering(
    platform,
    refuseMissing,
    () => undefined,
    () => undefined,
  )
  servePages(router, answer, config, loadPages(pathToFileURL(folder)), facts)
  return router
}

describe('pages', () => {
  it('are the same document at every page address, always fresh', async () => {
    const app = pagesOf()

    for (const path of ['/', '/sign-in', '/settings/sessions', '/oauth/consent', '/console/users']) {
      const answer = await ask(app, path)
      assert.equal(answer.status, 200, path)
      assert.equal(answer.headers.get('cache-control'), 'no-cache')
      assert.match(await answer.text(), /<title>Acme/)
    }
  })

  it('name the installation from the first byte, and nothing in that can be mistaken for markup', async () => {
    const text = await (await ask(pagesOf(), '/sign-in')).text()

    assert.match(text, /<title>Acme &amp; &lt;\/title&gt;<\/title>/)
    const json = /<script type="application\/json" id="config">(.*?)<\/script>/.exec(text)?.[1]
    assert.deepEqual(JSON.parse(json ?? ''), { name: '</script>' })
  })

  it('begin in the colours that the browser has chosen, and in its system’s without a choice', async () => {
    const app = pagesOf()
    const textFor = async (cookie: string) => (await ask(app, '/sign-in', { headers: { cookie } })).text()

    assert.match(await textFor('theme=dark'), /<html data-theme="dark" lang="en">/)
    for (const cookie of ['theme=%22%3E', 'theme=', 'other=dark'])
      assert.match(await textFor(cookie), /<html lang="en">/)
  })

  it('say in both languages what they need and whom to ask, to a browser without scripts', async () => {
    const text = await (await ask(pagesOf(), '/sign-in')).text()
    const words = /<noscript>(.*)<\/noscript>/.exec(text)?.[1] ?? ''

    assert.match(words, /need JavaScript/)
    assert.match(words, /需要 JavaScript/)
    assert.match(words, /href="mailto:help@acme.example"/)
  })

  it('name the scripts that they will need, without those for signed-in users before the sign-in', async () => {
    const app = pagesOf()
    const early = async (path: string) => {
      const text = await (await ask(app, path)).text()
      return [...text.matchAll(/<link rel="modulepreload"[^>]*href="\/assets\/([a-z-]+)-abc123/g)].map(
        ([, name]) => name,
      )
    }

    for (const path of ['/sign-in', '/sign-in/second-step', '/invitation', '/sign-up', '/verify', '/forgot'])
      assert.deepEqual(await early(path), ['front', 'en-front'], path)
    for (const path of ['/', '/settings', '/beta'])
      assert.deepEqual(await early(path), ['inside', 'en-front', 'en-inside'], path)
  })

  it('open without a store too, with only the host as their name, and keep their name when it is lost', async () => {
    let isAway = true
    const facts = () => (isAway ? Promise.reject(new StoreUnavailable('meta')) : acme())
    const app = pagesOf({ APP_DOMAIN: 'accounts.example.com' }, facts)
    const shown = async () => {
      const answer = await ask(app, '/')
      return [answer.status, /<title>(\w+[.\w]*)/.exec(await answer.text())?.[1]]
    }

    const away = await shown()
    isAway = false
    const named = await shown()
    isAway = true

    assert.deepEqual(
      [away, named, await shown()],
      [
        [200, 'accounts.example.com'],
        [200, 'Acme'],
        [200, 'Acme'],
      ],
    )
  })

  it('are an error in the log if their name cannot be made although the store works', async () => {
    const log = new MemoryLog()
    const app = pagesOf({}, () => Promise.reject(new TypeError('no letter')), log)

    const answer = await ask(app, '/')

    assert.equal(answer.status, 500)
    assert.ok(log.lines.some(({ level, message }) => level === 'error' && message === 'request failed'))
  })

  it('run no inline script or style, and cannot be framed', async () => {
    const { headers } = await ask(pagesOf(), '/oauth/consent')

    const policy = headers.get('content-security-policy') ?? ''
    for (const part of [/frame-ancestors 'none'/, /script-src 'self'/]) assert.match(policy, part)
    assert.doesNotMatch(policy, /unsafe/)
    const others = ['x-frame-options', 'x-content-type-options'].map((name) => headers.get(name))
    assert.deepEqual(others, ['DENY', 'nosniff'])
    assert.ok(headers.get('referrer-policy'))
  })

  it('ask for https only if they are served on it', async () => {
    const local = await ask(pagesOf(), '/')
    const deployed = await ask(pagesOf({ APP_DOMAIN: 'accounts.example.com' }), '/')

    assert.equal(local.headers.get('strict-transport-security'), null)
    assert.match(deployed.headers.get('strict-transport-security') ?? '', /max-age=31536000/)
  })

  it('are not fetched twice: hashed files are kept for ever, others answered with 304', async () => {
    const app = pagesOf()

    const script = await ask(app, '/assets/index-abc123.js')
    const page = await ask(app, '/')
    const again = await ask(app, '/', { headers: { 'if-none-match': page.headers.get('etag') ?? '' } })

    assert.match(script.headers.get('cache-control') ?? '', /immutable/)
    assert.equal(again.status, 304)
  })

  it('are compressed for clients that accept it', async () => {
    const answer = await ask(pagesOf(), '/assets/index-abc123.js', {
      headers: { 'accept-encoding': 'gzip, br' },
    })

    assert.equal(answer.headers.get('content-encoding'), 'br')
    const body = brotliDecompressSync(Buffer.from(await answer.arrayBuffer()))
    assert.equal(String(body), 'export const answer = 42')
  })

  it('include nothing else: no hidden file, no path out of the folder', async () => {
    const app = pagesOf()

    for (const path of ['/.sources', '/assets/../.sources', '/..%2f..%2fetc/passwd', '/console.html']) {
      assert.equal((await ask(app, path)).status, 404, path)
    }
  })
})
