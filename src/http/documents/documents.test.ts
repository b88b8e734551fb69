import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe } from 'vitest'
import { readDocuments } from '../../../scripts/documents/library.ts'
import { CONSOLE } from '../../../test/browser/support/paths.ts'
import { MemoryLog } from '../../../test/service/fakes/memory-log.ts'
import { it } from '../../../test/service/it.ts'
import { ask } from '../../../test/service/without-socket.ts'
import { helpAnchorAt } from '../../../web/src/layout/help.ts'
import { readConfig } from '../../config/config.ts'
import { Refusals } from '../../platform/log/refusals.ts'
import { openMetrics } from '../../platform/metrics/metrics.ts'
import { NO_TRACES } from '../../platform/traces/traces.ts'
import { answering } from '../answers/answering.ts'
import { refuseMissing } from '../answers/refuse.ts'
import type { Look } from '../documentation/look.ts'
import { Router } from '../router.ts'
import { serveDocuments } from './documents.ts'

const groups = readDocuments()
const pages = groups.flatMap((group) => group.pages)
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-documents-'))
afterAll(() => rmSync(folder, { recursive: true }))
const built = pathToFileURL(join(folder, 'documents.json'))
writeFileSync(built, JSON.stringify(groups))

const acme: Look = { name: 'Acme & Co', logoUrl: '/logo?v=1', logoDarkUrl: null, iconUrl: null, palette: null }

function documents(file = built): Router {
  const router = new Router()
  const config = readConfig({})
  const [log, metrics] = [new MemoryLog(), openMetrics('service')]
  const platform = { config, log, metrics, refusals: new Refusals(log, metrics), traces: NO_TRACES }
  const nothing = () => undefined
  serveDocuments(router, answering(platform, refuseMissing, nothing, nothing), config, async () => acme, file)
  return router
}

const textOf = async (path: string, cookie = '') => (await ask(documents(), path, { headers: { cookie } })).text()

describe('/docs', () => {
  it('lists every document, and each is whole without a script', async () => {
    const app = documents()
    const contents = await (await ask(app, '/docs')).text()
    const withSlash = await (await ask(app, '/docs/')).text()

    assert.equal(withSlash, contents)
    assert.ok(pages.length > 15)
    for (const { name, title, html } of pages) {
      const answer = await ask(app, `/docs/${name}`)
      const text = await answer.text()
      assert.equal(answer.status, 200, name)
      assert.ok(contents.includes(`href="/docs/${name}"`), name)
      assert.ok(title !== '' && text.includes(html), name)
      assert.doesNotMatch(text, /<script|<style|style="/, name)
    }
  })

  it('has no link, in the text or between documents, that leads nowhere', () => {
    const anchors = new Map(pages.map(({ name, html }) => [name, new Set(html.match(/(?<= id=")[^"]*/g))]))
    const leadsNowhere = (name: string, href: string) => {
      if (/^https?:\/\//.test(href)) return false
      const [, page = name, anchor] = /^(?:\/docs\/([\w-]+))?(?:#(.*))?$/.exec(href) ?? ['', '?']
      return !anchors.has(page) || (anchor !== undefined && !anchors.get(page)?.has(anchor))
    }
    const strays = pages.flatMap(({ name, html }) =>
      [...html.matchAll(/<a href="([^"]*)"/g)]
        .filter(([, href = '']) => leadsNowhere(name, href))
        .map(([, href]) => `${name}: ${href}`),
    )

    assert.deepEqual(strays, [])
  })

  it('has the paragraph to which the console’s help leads from each page', () => {
    const html = pages.find(({ name }) => name === 'console')?.html ?? ''
    const lost = CONSOLE.filter((path) => !html.includes(` id="${helpAnchorAt(path)}"`))

    assert.deepEqual(lost, [])
    assert.equal(helpAnchorAt('/console/settings/brand'), 'brand')
    for (const path of ['/settings', '/console/webhooks/one']) assert.equal(helpAnchorAt(path), undefined)
  })

  it('has the name, the logo and the colours of the installation, and those that the browser has chosen', async () => {
    const text = await textOf('/docs', 'theme=dark')

    assert.match(text, /<html lang="en" data-theme="dark">/)
    assert.match(text, /<img src="\/logo\?v=1" alt=""><a href="\/">Acme &amp; Co<\/a>/)
    assert.match(await textOf('/docs/style.css'), /--accent: light-dark\(#/)
  })

  it('finds sections by their words, those with the words in the heading first', async () => {
    const text = await textOf('/docs?q=Stolen+PASSWORDS')

    const [, first] = /<ol><li><a href="([^"]*)"/.exec(text) ?? []
    assert.equal(first, '/docs/operations#stolen-passwords')
    assert.match(text, /<mark>stolen<\/mark>/)
    assert.match(text, /name="q" type="search" value="Stolen PASSWORDS"/)
  })

  it('writes nothing of a query as markup, and says if there is no match', async () => {
    const text = await textOf(`/docs?q=${encodeURIComponent('<b>"zzz</b>')}`)

    assert.doesNotMatch(text, /<b>/)
    assert.match(text, /No matches/)
    assert.match(text, /href="\/docs\/operations"/)
  })

  it('is not sent twice, and runs no inline script or style', async () => {
    const app = documents()
    const { headers } = await ask(app, '/docs/security')
    const again = await ask(app, '/docs/security', { headers: { 'if-none-match': headers.get('etag') ?? '' } })

    assert.equal(again.status, 304)
    assert.equal(headers.get('cache-control'), 'no-cache')
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe/)
  })

  it('answers 404 for another name, and if the documents are not built', async () => {
    const unbuilt = documents(pathToFileURL(join(folder, 'none.json')))

    assert.equal((await ask(documents(), '/docs/nowhere')).status, 404)
    assert.equal((await ask(unbuilt, '/docs')).status, 404)
  })
})

describe('with DOCS=off', () => {
  it.override('options', { env: { DOCS: 'off' } })

  it('there is no /docs', async ({ service }) => {
    assert.equal((await service.request('/docs')).status, 404)
    assert.equal((await service.request('/docs/security')).status, 404)
  })
})
