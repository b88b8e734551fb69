import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../service/it.ts'
import { people } from '../../service/people.ts'
import { type Service, startService } from '../../service/service.ts'

const HTTPS = { APP_DOMAIN: 'id.example.com' }

describe('74. the session cookie', () => {
  const disguises = [
    ['a no-break space', '\u00a0__Host-session'],
    ['a vertical tab', '\v__Host-session'],
    ['a form feed', '\f__Host-session'],
    ['a byte order mark in Latin-1', '\u00ef\u00bb\u00bf__Host-session'],
    ['capitals', '__HOST-SESSION'],
    ['no prefix', 'session'],
    ['an escape', '%5F_Host-session'],
  ] as const
  for (const [what, name] of disguises) {
    it(`checklist 74: is not taken from a name with ${what}`, async () => {
      await using service = await startService({ env: HTTPS })
      const { ann } = await people(service)

      assert.equal(await userBehind(service, `a=b;${name}=${ann.token}`), undefined)
    })
  }

  it('checklist 74: sent twice counts as none, whichever comes first', async () => {
    await using service = await startService({ env: HTTPS })
    const { ann, ben } = await people(service)
    const [own, planted] = [`__Host-session=${ann.token}`, `__Host-session=${ben.token}`]

    assert.equal(await userBehind(service, `${own}; ${planted}`), undefined)
    assert.equal(await userBehind(service, `${planted}; ${own}`), undefined)
    assert.equal(await userBehind(service, `${own}; ${own}`), undefined)
  })

  it('checklist 74: a bearer token with anything after it counts as none', async () => {
    await using service = await startService({ env: HTTPS })
    const { ann, ben } = await people(service)
    const userOf = (token: string) => userWith(service, { authorization: `Bearer ${token}` })

    for (const after of [` ${ann.token}`, ` ${ben.token}`, `, Bearer ${ben.token}`, ' x', ','])
      assert.equal(await userOf(`${ann.token}${after}`), undefined, after)
    assert.equal(await userOf(ann.token), ann.id)
  })

  it('is found among others, between spaces and tabs', async () => {
    await using service = await startService({ env: HTTPS })
    const { ann } = await people(service)

    const found = await userBehind(
      service,
      `a=b;c; =d;\t __Host-session \t=\t${ann.token} ; __Host-sessions=x`,
    )

    assert.equal(found, ann.id)
  })
})

describe('74. other cookies of ours', () => {
  it('checklist 74: two bookmarks are none', async ({ service, ann }) => {
    const sound = ann.cookies.get('db_meta_bookmark')
    const cookie = `session=${ann.token}; db_meta_bookmark=x; db_meta_bookmark=${sound}`

    const answer = await service.request('/api/auth/get-session', { headers: { cookie } })

    assert.equal(answer.status, 200)
  })

  it('checklist 74: two sources of a registration are none', async ({ service }) => {
    const body = JSON.stringify({ email: 'eve@example.com', password: 'an owl under the roof', name: 'Eve' })
    const cookie = 'registration_utm_source=one; registration_utm_source=two'

    const answer = await service.request('/api/auth/sign-up/email', {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body,
    })

    const { user } = (await answer.json()) as { user: { registrationUtmSource: string | null } }
    assert.equal(user.registrationUtmSource, null)
  })
})

function userBehind(service: Service, cookie: string): Promise<string | undefined> {
  return userWith(service, { cookie })
}

async function userWith(
  service: Service,
  headers: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const answer = await service.request('/api/auth/get-session', { headers })
  const found = (await answer.json()) as { user: { id: string } } | null
  return found?.user.id
}
