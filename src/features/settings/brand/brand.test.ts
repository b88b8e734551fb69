import assert from 'node:assert/strict'
import { deflateSync } from 'node:zlib'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { it } from '../../../../test/service/it.ts'
import { stranger } from '../../../../test/service/people.ts'
import { pngOf, pngWith } from '../../../../test/service/pictures.ts'
import type { App } from '../../../app.ts'
import { contrastOf } from '../../../rules/colour.ts'
import { paletteOf } from './accent.ts'

type ClientConfig = App['/api/client_config']['output']

const NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'
const PIXELS = [['IDAT', deflateSync(Buffer.alloc(20))]] as const
const replace = (file: Buffer | string) => ({
  action: 'replace',
  value: Buffer.from(file).toString('base64'),
})

describe('brand settings', () => {
  it.override('options', { env: { APP_NAME: 'Gate' } })

  it('are used by the next pages and letters, in every process', async ({ service, administrator }) => {
    await administrator.saveSettings('email', { provider: 'outbox' })

    await administrator.saveSettings('brand', {
      name: ' Acme & Söhne ',
      accent: '#FFDD00',
      terms_url: 'https://acme.example/terms',
      return_origins: ['https://app.acme.example/', 'https://app.acme.example'],
      languages: ['zh'],
    })

    const answer = await service.requestElsewhere('/api/client_config')
    const elsewhere = (await answer.json()) as ClientConfig
    const { palette, terms_url, languages } = elsewhere.brand
    assert.deepEqual(
      [elsewhere.app_name, palette, terms_url, languages],
      ['Acme & Söhne', paletteOf('#ffdd00'), 'https://acme.example/terms', ['zh']],
    )
    const { body } = await administrator.post('/api/admin/get_brand_config')
    assert.deepEqual(body.return_origins, ['https://app.acme.example'])
    await administrator.post('/api/admin/send_test_email', { to: 'ann@example.com' })
    const [letter] = await service.mail.sentTo('ann@example.com')
    assert.equal(letter?.from.name, 'Acme & Söhne')
    assert.match(letter?.html ?? '', /Acme &amp; Söhne/)
    assert.doesNotMatch(JSON.stringify(letter), /Gate/)
  })

  it('refuse an invalid colour, origin, web address or language', async ({ administrator }) => {
    for (const [fields, path] of [
      [{ accent: 'red' }, 'accent'],
      [{ return_origins: ['https://acme.example/path'] }, 'return_origins.0'],
      [{ return_origins: ['javascript:alert(1)'] }, 'return_origins.0'],
      [{ return_origins: ['https://ann:pw@acme.example'] }, 'return_origins.0'],
      [{ terms_url: 'javascript:alert(1)' }, 'terms_url'],
      [{ languages: [] }, 'languages'],
      [{ languages: ['xx'] }, 'languages.0'],
      [{ name: 'two\nlines' }, 'name'],
      [{ name: 'Acme\u202egro.live' }, 'name'],
      [{ name: 'A\u2028B' }, 'name'],
      [{ name: '\ud83dAcme' }, 'name'],
      [{ name: '\u200b\u2800' }, 'name'],
    ] as const) {
      const body = { expected_version: 1, ...fields }
      assertRefused(await administrator.post('/api/admin/update_brand_config', body), 'INVALID_REQUEST', path)
    }
  })

  it('give every accent enough contrast on every background of the pages', () => {
    const parts = ['00', '55', 'aa', 'ff']
    const colours = parts.flatMap((r) => parts.flatMap((g) => parts.map((b) => `#${r}${g}${b}`)))

    for (const colour of colours) {
      const { light, dark } = paletteOf(colour)
      const pairs = [
        ...['#f6f5f1', '#fffefc', '#ffffff', '#efede7', light.soft].map((ground) => [light.accent, ground]),
        ...['#121412', '#191c19', '#1f231f', '#232723', dark.soft].map((ground) => [dark.accent, ground]),
        [light.on, light.accent],
        [light.on, light.strong],
        [dark.on, dark.accent],
        [dark.on, dark.strong],
      ] as const
      const least = Math.min(...pairs.map(([one = '', other = '']) => contrastOf(one, other)))
      assert.ok(least >= 4.5, `${colour}: ${least}`)
    }
  })
})

describe('security checklist 90: the logo', () => {
  it('90. is shown from our own address, under a policy that runs nothing', async ({
    service,
    administrator,
  }) => {
    const svg = `<?xml version="1.0"?><svg ${NAMESPACE} viewBox="0 0 9 9"><style>.a{fill:url(#b)}</style><g class="a"><path d="M0 0h9"/></g></svg>`
    await administrator.saveSettings('brand', { logo: replace(svg) })

    const { body } = await stranger(service).get('/api/client_config')
    const logo = await service.request(body.brand.logo_url)

    assert.match(logo.headers.get('content-type') ?? '', /^image\/svg\+xml/)
    const policy = logo.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'.*sandbox/)
    assert.doesNotMatch(policy, /script-src|allow-/)
    assert.equal(logo.headers.get('x-content-type-options'), 'nosniff')
    assert.match(logo.headers.get('cache-control') ?? '', /immutable/)
    assert.equal(await logo.text(), svg)
    await administrator.saveSettings('brand', { logo: replace(pngOf(4, 4)) })
    const next = await stranger(service).get('/api/client_config')
    assert.notEqual(next.body.brand.logo_url, body.brand.logo_url)
    assert.equal((await service.request(next.body.brand.logo_url)).headers.get('content-type'), 'image/png')
    await administrator.saveSettings('brand', { logo: { action: 'remove' } })
    assert.equal((await service.request('/api/brand/logo')).status, 404)
  })

  it('90. takes pictures as drawing programs write them', async ({ administrator }) => {
    const sketch = `<mask id="m" fill="#fff"><use xlink:href="#p"/></mask><path id="p" d="M0 0h9"/><use xlink:href="#p" mask="url(#m)"/>`
    const files = [
      `<svg ${NAMESPACE} xmlns:xlink="http://www.w3.org/1999/xlink">${sketch}</svg>`,
      `\ufeff<svg ${NAMESPACE}><style>.a{fill:url(#b)}</style><linearGradient id="b"/>${'<path class="a" d="M0 0"/>'.repeat(999)}</svg>`,
      pngOf(1, 1),
      pngOf(2048, 100),
    ]

    for (const file of files) await administrator.saveSettings('brand', { logo: replace(file) })

    const { body } = await administrator.post('/api/admin/get_brand_config')
    assert.match(body.logo_url, /^\/api\/brand\/logo/)
  })

  const inSvg = (content: string, attributes = '') => `<svg ${NAMESPACE} ${attributes}>${content}</svg>`
  const refused: Readonly<Record<string, Buffer | string>> = {
    'a page': '<!doctype html><html><body><svg></svg></body></html>',
    'a GIF': 'GIF89a......',
    'an empty file': Buffer.alloc(1),
    'more than 200 KB': inSvg(`<path d="${'M0 0'.repeat(60_000)}"/>`),
    'a script': inSvg('<script>alert(1)</script>'),
    'a script of another prefix': `<svg ${NAMESPACE} xmlns:x="http://www.w3.org/2000/svg"><x:script>1</x:script></svg>`,
    'an event': inSvg('<g/>', 'onload="alert(1)"'),
    'an event in capitals': inSvg('<g/>', 'ONLOAD="alert(1)"'),
    'foreign content': inSvg('<foreignObject><iframe/></foreignObject>'),
    'an image from elsewhere': inSvg('<image href="https://evil.example/x.png"/>'),
    'a reference to elsewhere': inSvg('<use href="https://evil.example/x.svg#a"/>'),
    'a reference to data': inSvg('<use xlink:href="data:image/svg+xml,x"/>'),
    'a link that animates itself': inSvg('<a><set attributeName="href" to="javascript:alert(1)"/></a>'),
    'a style that imports': inSvg('<style>@import "https://evil.example/x.css";</style>'),
    'a style that fetches': inSvg('<g style="fill:url(https://evil.example/x)"/>'),
    'a style with escapes': inSvg('<style>a{fill:u\\72l(https://evil.example)}</style>'),
    'a paint that fetches': inSvg('<g fill="url(//evil.example/x#a)"/>'),
    'an entity': `<!DOCTYPE svg [<!ENTITY x "y">]>${inSvg('&x;')}`,
    'a number for a character': inSvg('<use href="&#106;avascript:1"/>'),
    'an instruction': `<?xml-stylesheet href="https://evil.example/x.css"?>${inSvg('')}`,
    'another encoding': `<?xml version="1.0" encoding="UTF-7"?>${inSvg('')}`,
    'raw text': inSvg('<style><![CDATA[a{}]]></style>'),
    'what is not closed': `<svg ${NAMESPACE}><g></svg>`,
    'an attribute without quotes': inSvg('<g fill=red/>'),
    'two pictures': inSvg('') + inSvg(''),
    'an attribute twice': inSvg('<g id="a" id="b"/>'),
    'a picture of no namespace': '<svg viewBox="0 0 9 9"><path d="M0 0h9"/></svg>',
    'a control character': inSvg('<text>\u0001</text>'),
    'parts that repeat each other a million times': inSvg(repeated(6)),
    'patterns within patterns': inSvg(patterns(6)),
    'a PNG with something behind it': Buffer.concat([pngOf(2, 2), Buffer.from('<script>')]),
    'a damaged PNG': Buffer.from(pngOf(2, 2).map((byte, at) => (at === 20 ? byte ^ 1 : byte))),
    'a PNG without end': pngOf(2, 2).subarray(0, -12),
    'a PNG whose pixels are not compressed': pngWith([['IDAT', Buffer.from('no pixels')]]),
    'a PNG without pixels': pngWith([]),
    'a PNG of half its pixels': pngWith([['IDAT', deflateSync(Buffer.alloc(6))]]),
    'a PNG of an unknown filter': pngWith([['IDAT', deflateSync(Buffer.alloc(20, 9))]]),
    'a PNG of a colour type that does not exist': pngWith(PIXELS, { colour: 9 }),
    'a PNG that moves': pngWith([['acTL', Buffer.alloc(8)], ...PIXELS]),
    'a PNG of enormous size': pngOf(2, 2, { claimedWidth: 60_000 }),
  }
  it('90. refuses what could run or reach out, and what is not one whole picture', async ({
    administrator,
  }) => {
    for (const [what, file] of Object.entries(refused)) {
      const sent = { expected_version: 1, logo: replace(file) }
      const { status, body } = await administrator.post('/api/admin/update_brand_config', sent)
      assert.deepEqual([status, body.issues?.[0].path], [400, 'logo.value'], what)
    }
  })
})

/** Each part draws the one before it ten times. */
function repeated(depth: number): string {
  const part = (_: unknown, at: number) => `<g id="p${at + 1}">${`<use href="#p${at}"/>`.repeat(10)}</g>`
  const parts = Array.from({ length: depth }, part).join('')
  return `<defs><path id="p0" d="M0 0h9"/>${parts}</defs><use href="#p${depth}"/>`
}

function patterns(depth: number): string {
  const filled = (at: number) => `<path d="M0 0h9" style="fill: url('#p${at}')"/>`
  const part = (_: unknown, at: number) => `<pattern id="p${at + 1}">${filled(at).repeat(10)}</pattern>`
  const parts = Array.from({ length: depth }, part).join('')
  return `<pattern id="p0"><path d="M0 0h9"/></pattern>${parts}${filled(depth)}`
}
