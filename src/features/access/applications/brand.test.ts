import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { CALLBACK, register } from '../../../../test/service/applications.ts'
import { it } from '../../../../test/service/it.ts'
import { type Person, stranger } from '../../../../test/service/people.ts'
import { pngOf } from '../../../../test/service/pictures.ts'
import type { Service } from '../../../../test/service/service.ts'
import { NO_COOLDOWN, WITH_MAIL } from '../../../../test/service/with-mail.ts'

const picture = (side: number) => ({ action: 'replace', value: pngOf(side, side).toString('base64') })

async function lookOf(service: Service, client_id: string) {
  const { body } = await stranger(service).get(`/api/brand/application?${new URLSearchParams({ client_id })}`)
  return body.look
}

async function sheetOf(service: Service, client_id: string): Promise<string> {
  const { style_url } = await lookOf(service, client_id)
  return (await service.request(style_url)).text()
}

async function brandOf(administrator: Person, id: string) {
  const { body } = await administrator.post('/api/admin/list_applications')
  return body.items.find((item: { id: string }) => item.id === id).brand
}

describe('the brand of an application', () => {
  it('wins over the installation’s field by field, inherits what is missing, and null removes', async ({
    service,
    administrator,
  }) => {
    await administrator.saveSettings('brand', { accent: '#aa0000', font: 'serif', logo: picture(2) })
    const { id } = await register(administrator, { brand: { accent: '#0000aa', css: '.gh-card{}' } })

    const own = await sheetOf(service, id)
    const look = await lookOf(service, id)

    assert.match(own, /--accent:light-dark\(#0000aa/)
    assert.match(own, /--font-sans:Charter/)
    assert.ok(own.endsWith('.gh-card{}'))
    assert.match(look.logo_url, /^\/api\/brand\/logo\?v=/)
    assert.deepEqual(await brandOf(administrator, id), { accent: '#0000aa', css: '.gh-card{}' })
    await administrator.post('/api/admin/update_application', { id, brand: { accent: null, radius: 3 } })
    assert.match(await sheetOf(service, id), /--accent:light-dark\(#aa0000.*--radius-md:3px/)
    assert.deepEqual(await brandOf(administrator, id), { css: '.gh-card{}', radius: 3 })
    await administrator.post('/api/admin/update_application', { id, brand: null })
    assert.deepEqual(await brandOf(administrator, id), {})
    assert.equal(await lookOf(service, id), null)
  })

  it('has pictures of its own below /api/brand/, which go with it', async ({ service, administrator }) => {
    const { id } = await register(administrator, { brand: { logo: picture(3), favicon: picture(4) } })

    const { logo_url, logo_dark_url, favicon_url } = await lookOf(service, id)

    assert.equal(logo_dark_url, null)
    for (const url of [logo_url, favicon_url]) {
      assert.match(url, /^\/api\/brand\/application_(logo|favicon)\?client_id=/)
      const answer = await service.request(url)
      assert.equal(answer.headers.get('content-type'), 'image/png')
      assert.match(answer.headers.get('content-security-policy') ?? '', /sandbox/)
    }
    await administrator.post('/api/admin/update_application', { id, brand: { favicon: null } })
    assert.equal((await service.request(favicon_url)).status, 404)
    assert.equal((await service.request(logo_url)).status, 200)
    await administrator.post('/api/admin/delete_application', { id })
    assert.equal((await service.request(logo_url)).status, 404)
    const left = await service.platform.meta.selectFrom('application_picture').select('name').execute()
    assert.deepEqual(left, [])
  })

  it('is known for its client only, and not for texts that are no client', async ({ service, administrator }) => {
    const { id } = await register(administrator, { brand: { background: '#ffeecc' } })

    assert.deepEqual((await lookOf(service, id)).ground.light, '#ffeecc')
    for (const other of ['nobody', 'https://evil.example/', 'cli-client']) {
      assert.equal(await lookOf(service, other), null)
    }
    assert.equal((await stranger(service).get('/api/client_config')).body.brand.style_url, null)
  })

  describe('and letters', () => {
    it.override('settings', { ...WITH_MAIL, authentication: NO_COOLDOWN })

    it('is that of a code asked for on a page that leads to it, and of no other', async ({
      service,
      administrator,
      ann,
    }) => {
      const { id } = await register(administrator, { brand: { accent: '#0000aa', logo: picture(3) } })
      const next = `/oauth/authorize?${new URLSearchParams({ client_id: id })}`
      const reset = ['/api/auth/email-otp/request-password-reset', { email: ann.email }] as const
      const page = `${service.config.baseUrl}/forgot?${new URLSearchParams({ next })}`

      await stranger(service).post(...reset, { referer: page })
      await service.mail.all()
      await stranger(service).post(...reset)

      const [led, other] = await service.mail.sentTo(ann.email)
      assert.match(led?.html ?? '', /background: #0000aa/)
      assert.match(led?.html ?? '', /src="http[^"]*\/api\/brand\/application_logo\?client_id=/)
      assert.doesNotMatch(other?.html ?? '', /#0000aa|application_logo/)
    })
  })

  it('is looked for at any address, also one that cannot be parsed', async ({ service }) => {
    const answer = await service.request(`${service.config.baseUrl}//`, { headers: { accept: 'text/html' } })

    assert.deepEqual([answer.status, answer.headers.get('content-type')], [404, 'text/html; charset=utf-8'])
  })

  it('is refused with the place in its CSS, and with the field', async ({ administrator }) => {
    for (const [brand, path, words] of [
      [{ css: 'a {\n b: u\\72l(//evil.example) }' }, 'brand.css', /^Line 2, column 5: url\(\)/],
      [{ radius: 17 }, 'brand.radius', /16/],
      [{ accent: 'red' }, 'brand.accent', /colour/],
      [{ logo: { action: 'replace', value: 'AAAA' } }, 'brand.logo.value', /neither a PNG/],
      [{ colour: '#aa0000' }, 'brand.colour', /./],
    ] as const) {
      const fields = { name: 'Shop', kind: 'web', redirect_uris: [CALLBACK], brand }
      const answer = await administrator.post('/api/admin/create_application', fields)
      assertRefused(answer, 'INVALID_REQUEST', path)
      assert.match(answer.body.issues[0].message, words)
    }
  })
})
