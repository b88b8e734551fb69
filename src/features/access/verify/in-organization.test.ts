import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { assertRefused } from '../../../../test/service/answers.ts'
import { itWith } from '../../../../test/service/it.ts'
import { join, ORGANIZATIONS, organizationOf, wire } from '../../../../test/service/organizations.ts'

const it = itWith({ organizations: ORGANIZATIONS })
const NAMES = ['id', 'slug', 'roles', 'permissions']

describe('verifying a member of an organisation', () => {
  it('says organisation, roles and permissions, or that there is none', async ({ service, ann, ben }) => {
    const made = await organizationOf(ann)
    await join(service, made, ben, 'member', 'editor')
    await wire(ben).post('set-active', { organizationId: made.id })
    const shown = async () => {
      const { headers } = await ben.get('/api/verify')
      return NAMES.map((name) => headers.get(`x-org-${name}`))
    }
    const before = await shown()
    await wire(ann).post('remove-member', { memberIdOrEmail: ben.email })

    assert.deepEqual(before, [made.id, made.slug, 'member editor', 'ac:read project:create'])
    assert.deepEqual(await shown(), ['', '', '', ''])
  })

  it('refuses who lacks one of the permissions, or has another organisation active', async ({ service, ann, ben }) => {
    const made = await organizationOf(ann)
    await join(service, made, ben, 'editor')
    await wire(ben).post('set-active', { organizationId: made.id })
    const asked = (query: string) => ben.get(`/api/verify?${query}`)

    assert.equal((await asked(`permission=project:create&organization=${made.slug}`)).status, 200)
    assertRefused(await asked('permission=project:create&permission=project:delete'), 'INSUFFICIENT_PERMISSION')
    assertRefused(await asked('organization=another'), 'INSUFFICIENT_PERMISSION')
  })

  it('says whether a role lacks the permission, nobody declared it or no organisation is active', async ({
    service,
    ann,
    ben,
  }) => {
    const made = await organizationOf(ann)
    await join(service, made, ben, 'editor')
    const reason = async (permission: string) => {
      const { status, body } = await ben.get(`/api/verify?permission=${permission}`)
      return [status, body.code, body.message]
    }
    const outside = await reason('project:delete')
    await wire(ben).post('set-active', { organizationId: made.id })

    assert.deepEqual(outside, [403, 'INSUFFICIENT_PERMISSION', 'This session or token acts in no organisation.'])
    assert.equal((await reason('project:delete'))[2], 'A role with the permission project:delete is needed.')
    assert.equal((await reason('projct:delete'))[2], 'The settings declare no such permission.')
  })
})
