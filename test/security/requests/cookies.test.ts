import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { userBehind } from '../../service/grants.ts'
import { it } from '../../service/it.ts'
import { stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'

async function userOf(service: Service, cookie: string): Promise<string | undefined> {
  return (await stranger(service).get('/api/auth/get-session', { cookie })).body?.user.id
}

describe('74. the session cookie', () => {
  it.override('options', { env: { APP_DOMAIN: 'id.example.com' } })

  for (const [what, name] of [
    ['a no-break space', '\u00a0__Host-session'],
    ['a vertical tab', '\v__Host-session'],
    ['a form feed', '\f__Host-session'],
    ['a byte order mark in Latin-1', '\u00ef\u00bb\u00bf__Host-session'],
    ['capitals', '__HOST-SESSION'],
    ['no prefix', 'session'],
    ['an escape', '%5F_Host-session'],
  ] as const) {
    it(`checklist 74: is not taken from a name with ${what}`, async ({ service, ann }) => {
      assert.equal(await userOf(service, `a=b;${name}=${ann.token}`), undefined)
    })
  }

  it('checklist 74: sent twice counts as none, whichever comes first', async ({ service, ann, ben }) => {
    const [own, planted] = [`__Host-session=${ann.token}`, `__Host-session=${ben.token}`]

    for (const cookie of [`${own}; ${planted}`, `${planted}; ${own}`, `${own}; ${own}`])
      assert.equal(await userOf(service, cookie), undefined)
  })

  it('checklist 74: a bearer token with anything after it counts as none', async ({ ann, ben }) => {
    for (const after of [` ${ann.token}`, ` ${ben.token}`, `, Bearer ${ben.token}`, ' x', ','])
      assert.equal(await userBehind(ben, `${ann.token}${after}`), undefined, after)
    assert.equal(await userBehind(ben, ann.token), ann.id)
  })

  it('is found among others, between spaces and tabs', async ({ service, ann }) => {
    const cookie = `a=b;c; =d;\t __Host-session \t=\t${ann.token} ; __Host-sessions=x`

    assert.equal(await userOf(service, cookie), ann.id)
  })
})

describe('74. other cookies of ours', () => {
  it('checklist 74: two bookmarks are none', async ({ service, ann }) => {
    const sound = ann.cookies.get('db_meta_bookmark')
    const cookie = `session=${ann.token}; db_meta_bookmark=x; db_meta_bookmark=${sound}`

    assert.equal(await userOf(service, cookie), ann.id)
  })

  it('checklist 74: two sources of a registration are none', async ({ service }) => {
    const cookie = 'registration_utm_source=one; registration_utm_source=two'
    const eve = { email: 'eve@example.com', password: 'an owl under the roof', name: 'Eve' }

    const { body } = await stranger(service).post('/api/auth/sign-up/email', eve, { cookie })

    assert.equal(body.user.registrationUtmSource, null)
  })
})
