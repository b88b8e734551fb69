import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../../test/service/answers.ts'
import { it } from '../../../../../test/service/it.ts'
import { stranger } from '../../../../../test/service/people.ts'
import { pngOf } from '../../../../../test/service/pictures.ts'
import type { App } from '../../../../app.ts'
import { contrastOf } from '../../../../rules/colour.ts'
import { OWN_STYLE } from './look/look.ts'
import { coloursOf } from './look/palette.ts'

type ClientConfig = App['/api/client_config']['output']

const NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'
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
      ['Acme & Söhne', coloursOf({ ...OWN_STYLE, accent: '#ffdd00' }).palette, 'https://acme.example/terms', ['zh']],
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

  it('give every accent and every background enough contrast, in light and dark', () => {
    const parts = ['00', '55', 'aa', 'ff']
    const colours = parts.flatMap((r) => parts.flatMap((g) => parts.map((b) => `#${r}${g}${b}`)))
    const looks = [
      ...colours.map((accent) => ({ accent })),
      ...colours.map((accent_dark) => ({ accent_dark })),
      ...colours.map((background) => ({ background, accent: '#808080' })),
      ...colours.map((background) => ({ background })),
    ]

    for (const look of looks) {
      const { palette, grounds } = coloursOf({ ...OWN_STYLE, ...look })
      for (const side of ['light', 'dark'] as const) {
        const { accent, strong, soft, on } = palette[side]
        const { ground, surface, raised, sunken, ink, danger, warning, 'ink-soft': inkSoft } = grounds[side]
        const pairs = [
          ...[ground, surface, raised, sunken].flatMap((behind) =>
            [ink, inkSoft, danger, warning, accent].map((word) => [word, behind] as const),
          ),
          [accent, soft] as const,
          [on, accent] as const,
          [on, strong] as const,
        ]
        const least = Math.min(...pairs.map(([one, other]) => contrastOf(one, other)))
        assert.ok(least >= 4.5, `${JSON.stringify(look)} ${side}: ${least}`)
      }
    }
  })

  it('give the pages a style sheet of their own address, in which the operator’s CSS comes last', async ({
    service,
    administrator,
  }) => {
    const plain = await stranger(service).get('/api/client_config')
    assert.equal(plain.body.brand.style_url, null)
    const css = '\ufeff.gh-card { border: 2px solid }'

    await administrator.saveSettings('brand', { accent_dark: '#88aaff', radius: 0, font: 'serif', css })

    const { body } = await stranger(service).get('/api/client_config')
    const sheet = await service.request(body.brand.style_url)
    const text = await sheet.text()
    assert.deepEqual(
      [sheet.headers.get('content-type'), sheet.headers.get('x-content-type-options')],
      ['text/css; charset=utf-8', 'nosniff'],
    )
    assert.match(sheet.headers.get('cache-control') ?? '', /immutable/)
    assert.match(text, /--accent:light-dark\(#1d5c4c,#88aaff\)/)
    assert.match(text, /--radius-md:0px/)
    assert.match(text, /--font-sans:Charter/)
    assert.ok(text.endsWith('\n.gh-card { border: 2px solid }'), text)
    const { body: stored } = await administrator.post('/api/admin/get_brand_config')
    assert.deepEqual([stored.radius, stored.font, stored.css], [0, 'serif', css.slice(1)])
  })

  it('show the logo on dark and the icon from our own address', async ({ service, administrator }) => {
    await administrator.saveSettings('brand', { logo_dark: replace(pngOf(2, 2)), favicon: replace(pngOf(3, 3)) })

    const { body } = await stranger(service).get('/api/client_config')

    const { logo_url, logo_dark_url, favicon_url } = body.brand
    assert.equal(logo_url, null)
    for (const url of [logo_dark_url, favicon_url]) {
      assert.match(url, /^\/api\/brand\/(logo_dark|favicon)\?v=/)
      assert.equal((await service.request(url)).headers.get('content-type'), 'image/png')
    }
    await administrator.saveSettings('brand', { favicon: { action: 'remove' } })
    assert.equal((await service.request('/api/brand/favicon')).status, 404)
  })

  it('refuse a radius, typeface or colour that there is not, and CSS with the place', async ({ administrator }) => {
    for (const [fields, path, words] of [
      [{ radius: 17 }, 'radius', /16/],
      [{ radius: -1 }, 'radius', /0/],
      [{ radius: 2.5 }, 'radius', /int/],
      [{ font: 'comic' }, 'font', /system/],
      [{ background: 'white' }, 'background', /colour/],
      [{ css: '.a { color: red }\n  @import "https://evil.example/x.css";' }, 'css', /^Line 2, column 3: @import/],
      [{ css: 'x'.repeat(17 * 1024) }, 'css', /larger than 16 KB/],
    ] as const) {
      const body = { expected_version: 1, ...fields }
      const answer = await administrator.post('/api/admin/update_brand_config', body)
      assertRefused(answer, 'INVALID_REQUEST', path)
      assert.match(answer.body.issues[0].message, words)
    }
  })
})

describe('security checklist 90: the logo', () => {
  it('90. is shown from our own address, under a policy that runs nothing', async ({ service, administrator }) => {
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

  it('90. accepts pictures as drawing programs write them', async ({ administrator }) => {
    const sketch = `<mask id="m" fill="#fff"><use xlink:href="#p"/></mask><path id="p" d="M0 0h9"/><use xlink:href="#p" mask="url(#m)"/>`
    const doctype = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">'
    const files = [
      `<svg ${NAMESPACE} xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">${sketch}</svg>`,
      `\ufeff<?xml version="1.0" encoding="utf-8"?>\n<!-- ${'Generator: a program. '.repeat(99)} -->\n${doctype}\n<svg ${NAMESPACE} width="9mm" height="9mm"><style>.a{fill:url(#b)}</style></svg>\n`,
      `<svg ${NAMESPACE} viewBox="0,0,24,24"><path d="M0 0h9"/></svg>`,
      pngOf(1, 1),
      pngOf(2048, 100),
    ]

    for (const file of files) await administrator.saveSettings('brand', { logo: replace(file) })

    const { body } = await administrator.post('/api/admin/get_brand_config')
    assert.match(body.logo_url, /^\/api\/brand\/logo/)
  })

  it('90. accepts an SVG with any content, because it is only ever shown as a picture', async ({
    service,
    administrator,
  }) => {
    for (const content of [
      '<script>alert(1)</script>',
      '<image href="https://evil.example/x.png"/>',
      '<foreignObject><iframe/></foreignObject>',
      '<style>@import "https://evil.example/x.css";</style>',
      `<path d="${'M0 0h9'.repeat(24_000)}"/>`,
    ]) {
      const svg = inSvg(content)
      await administrator.saveSettings('brand', { logo: replace(svg) })

      const logo = await service.request('/api/brand/logo')
      assert.equal(await logo.text(), svg)
      assert.match(logo.headers.get('content-type') ?? '', /^image\/svg\+xml/)
      assert.equal(
        logo.headers.get('content-security-policy'),
        "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
      )
    }
  })

  const inSvg = (content: string) => `<svg ${NAMESPACE} viewBox="0 0 9 9">${content}</svg>`
  const NEITHER = 'The image is neither a PNG nor an SVG.'
  const DAMAGED = 'The PNG is damaged.'
  const CUT = 'The PNG is cut off, or has data behind its end.'
  const CUT_SVG = 'The SVG is cut off, or has something behind its end.'
  const refused: Readonly<Record<string, readonly [Buffer | string, string]>> = {
    'a page': ['<!doctype html><html><body><svg viewBox="0 0 9 9"></svg></body></html>', NEITHER],
    'a GIF': ['GIF89a......', NEITHER],
    'a JPEG that is called a PNG': [Buffer.from('ffd8ffe000104a46494600010100', 'hex'), NEITHER],
    'an empty file': [Buffer.alloc(1), NEITHER],
    'no UTF-8': [Buffer.from([0xff, 0xfe, 0x3c, 0x00]), NEITHER],
    'more than 200 KB': [inSvg(`<path d="${'M0 0'.repeat(60_000)}"/>`), 'The image is larger than 200 KB.'],
    'an SVG without a size': [
      `<svg ${NAMESPACE}><path d="M0 0h9"/></svg>`,
      'The SVG does not say how large it is: give it a viewBox, or a width and a height.',
    ],
    'an SVG that is cut off': [inSvg('<g><path d="M0 0h9"/></g>').slice(0, -9), CUT_SVG],
    'an SVG with a page behind it': [`${inSvg('')}<html><script>alert(1)</script></html>`, CUT_SVG],
    'an SVG that is slow to read': [`${'<svg '.repeat(40_000)}"</svg>`, 'The image takes too long to read.'],
    'an SVG of 145 KB of openings': [
      `${'<svg '.repeat(29_000)}</svg>`,
      'The SVG does not say how large it is: give it a viewBox, or a width and a height.',
    ],
    'a PNG with something behind it': [Buffer.concat([pngOf(2, 2), Buffer.from('<script>')]), CUT],
    'a PNG and an archive in one': [Buffer.concat([pngOf(2, 2), Buffer.from('PK\x05\x06'.padEnd(22, '\0'))]), CUT],
    'a PNG without end': [pngOf(2, 2).subarray(0, -12), CUT],
    'a PNG of which only the start arrived': [pngOf(2, 2).subarray(0, 20), DAMAGED],
    'a PNG of nothing but its signature': [pngOf(2, 2).subarray(0, 8), DAMAGED],
    'a PNG without header': [Buffer.concat([pngOf(2, 2).subarray(0, 8), pngOf(2, 2).subarray(33)]), DAMAGED],
    'a PNG without width': [pngOf(2, 2, { claimedWidth: 0 }), DAMAGED],
    'a PNG of enormous size': [pngOf(2, 2, { claimedWidth: 60_000 }), 'The PNG is wider or higher than 2048 pixels.'],
    'a PNG of four billion pixels': [
      pngOf(2, 2, { claimedWidth: 2 ** 32 - 1 }),
      'The PNG is wider or higher than 2048 pixels.',
    ],
  }
  it('90. refuses what is not one whole picture, with the reason and soon', async ({ administrator }) => {
    for (const [what, [file, words]] of Object.entries(refused)) {
      const sent = { expected_version: 1, logo: replace(file) }
      const { status, body } = await administrator.post('/api/admin/update_brand_config', sent)
      assert.deepEqual([status, body.issues?.[0]], [400, { path: 'logo.value', message: words }], what)
    }
  })
})
