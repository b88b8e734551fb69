import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../../../test/service/it.ts'
import type { Person } from '../../../../../test/service/people.ts'

const save = (administrator: Person, fields: object, expected_version = 1) =>
  administrator.post('/api/admin/update_organizations_config', { ...fields, expected_version })

describe('the settings for organisations', () => {
  it('let only the administrator create them at first', async ({ administrator }) => {
    const { body } = await administrator.post('/api/admin/get_organizations_config')

    const defaults = { creation: 'administrator', owned_limit: 5, seats: 1_000, permissions: {}, roles: {} }
    assert.deepEqual(body, { version: 1, ...defaults })
  })

  it('have the permissions and roles of the product', async ({ administrator }) => {
    const permissions = { project: ['create', 'delete'] }
    const roles = { member: { project: ['create'] }, lead: { project: ['create', 'delete'], member: ['update'] } }
    const { status, body } = await save(administrator, { permissions, roles })

    assert.deepEqual([status, body.permissions, body.roles], [200, permissions, roles])
  })

  it('refuse a role whose permissions are not declared, and one of our own names', async ({ administrator }) => {
    const refused = [
      { roles: { lead: { project: ['create'] } } },
      { roles: { owner: {} } },
      { roles: { admin: {} } },
      { roles: { Lead: {} } },
      { roles: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`role-${i}`, {}])) },
      { permissions: { team: ['archive'] } },
      { seats: 100_001 },
    ]
    for (const fields of refused) {
      const { status, body } = await save(administrator, fields)
      assert.deepEqual([status, body.code], [400, 'INVALID_REQUEST'], JSON.stringify(fields))
    }
  })

  it('refuse to withdraw a permission that a role of theirs has', async ({ administrator }) => {
    const fields = { permissions: { project: ['create'] }, roles: { lead: { project: ['create'] } } }
    await save(administrator, fields)
    const alone = await save(administrator, { permissions: {} }, 2)
    const both = await save(administrator, { permissions: {}, roles: {} }, 2)

    assert.deepEqual([alone.status, alone.body.issues[0].path, both.status], [400, 'roles', 200])
  })
})
