import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { Declared, Permissions, permissionsOf, RoleName } from './permissions.ts'

const PRODUCT = {
  permissions: { project: ['create', 'delete'] },
  roles: { member: { project: ['create'] }, editor: { project: ['create', 'delete'], invoice: ['pay'] } },
}
const OWN = new Map([
  ['helper', { member: ['create'], project: ['delete'], invoice: ['pay'] }],
  ['editor', { organization: ['delete'] }],
])
const held = (...roles: readonly string[]) => permissionsOf(PRODUCT, OWN, roles)

describe('the permissions of roles', () => {
  it('an owner has all that there are, an admin all but deleting the organisation', () => {
    const owner = held('owner')

    assert.equal(owner.length, 16)
    assert.ok(owner.includes('project:delete'))
    assert.deepEqual(
      held('admin'),
      owner.filter((permission) => permission !== 'organization:delete'),
    )
  })

  it('a member reads roles, and has what the settings add', () => {
    assert.deepEqual(held('member'), ['ac:read', 'project:create'])
  })

  it('a role of the settings hides one of the organisation with its name', () => {
    assert.deepEqual(held('editor'), ['project:create', 'project:delete'])
  })

  it('what is not declared gives nothing, nor does a role that nobody has made', () => {
    assert.deepEqual(held('helper', 'stranger', 'constructor'), ['member:create', 'project:delete'])
  })

  it('several roles give each permission once', () => {
    assert.deepEqual(held('member', 'helper', 'member'), [
      ...['ac:read', 'member:create', 'project:create', 'project:delete'],
    ])
  })
})

describe('permissions as they are sent', () => {
  it('are kept once each', () => {
    assert.deepEqual(Permissions.parse({ project: ['create', 'create'] }), { project: ['create'] })
  })

  it('are at most 64, and at most 2 KB', () => {
    const actions = (count: number, length: number) =>
      Array.from({ length: count }, (_, i) => `a${i}`.padEnd(length, 'x'))

    assert.equal(Permissions.safeParse({ a: actions(64, 4) }).success, true)
    assert.equal(Permissions.safeParse({ a: actions(32, 4), b: actions(33, 4) }).success, false)
    assert.equal(Permissions.safeParse({ resource: actions(64, 24) }).success, false)
  })

  it('have words of small letters, digits and underscores', () => {
    const sent = [{ Project: [] }, { '1st': [] }, { project: ['create!'] }, { ['x'.repeat(25)]: [] }, { project: [''] }]

    assert.deepEqual(
      sent.map((each) => Permissions.safeParse(each).success),
      sent.map(() => false),
    )
  })

  it('of a product are not those that we have ourselves', () => {
    const taken = ['organization', 'member', 'invitation', 'team', 'ac', 'access']

    assert.deepEqual(
      taken.map((resource) => Declared.safeParse({ [resource]: ['read'] }).success),
      taken.map(() => false),
    )
    assert.equal(Declared.safeParse({ constructor: ['read'] }).success, true)
  })
})

describe('the name of a role', () => {
  it('has small letters, digits, underscores and hyphens', () => {
    const sent = ['editor', '2nd-line_support', 'Editor', '-editor', 'x'.repeat(33), '']

    assert.deepEqual(
      sent.map((each) => RoleName.safeParse(each).success),
      [true, true, false, false, false, false],
    )
  })
})
