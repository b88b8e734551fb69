import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { grantFor } from '../../../../test/service/grants.ts'
import { itWith } from '../../../../test/service/it.ts'
import { Person } from '../../../../test/service/people.ts'
import type { Service } from '../../../../test/service/service.ts'

const it = itWith({ authentication: { unverified_account_days: 60 } })

async function newcomer(service: Service, name: string): Promise<Person> {
  const person = new Person(service, `${name}@example.com`, `the long walk of ${name}`)
  const { status } = await person.signUp()
  assert.equal(status, 200)
  return person
}

async function looked(service: Service): Promise<void> {
  for (const job of ['session-sweep', 'unverified-accounts', 'events']) await service.runJob(job)
}

async function remaining(service: Service): Promise<readonly string[]> {
  const users = await service.platform.meta.selectFrom('user').select('email').orderBy('email').execute()
  return users.map(({ email }) => email.split('@')[0] ?? '')
}

describe('an account that never proved an address', () => {
  it('is deleted after that many days without a session opened or used, or a grant used', async ({
    service,
    administrator,
    ann,
  }) => {
    const [reader, maker] = [await newcomer(service, 'reader'), await newcomer(service, 'maker')]
    const grant = await grantFor(maker, 'account:profile:read')
    await administrator.post('/api/admin/mark_verified', { id: ann.id })
    const use = async () => {
      assert.equal((await reader.get('/api/auth/get-session')).body.user.email, reader.email)
      assert.equal((await grant.refresh()).status, 200)
    }
    const found: (readonly string[])[] = []

    for (const days of [28, 33, 26, 1, 1]) {
      service.clock.advance({ days })
      if (days === 28) await use()
      await looked(service)
      found.push(await remaining(service))
    }

    const all = ['admin', 'ann', 'ben', 'maker', 'reader']
    const withoutBen = ['admin', 'ann', 'maker', 'reader']
    assert.deepEqual(found, [all, withoutBen, withoutBen, ['admin', 'ann'], ['admin', 'ann']])
  })

  it('is deleted as its user would delete it, and the event says why', async ({ service, administrator, ben }) => {
    service.clock.advance({ days: 60 })

    await looked(service)

    await administrator.signIn()
    const { body } = await administrator.post('/api/admin/list_events', { types: ['user.deleted'] })
    const ofBen = body.items.filter(({ user_id }: { user_id: string }) => user_id === ben.id)
    assert.deepEqual(
      ofBen.map(({ data }: { data: object }) => data),
      [{ reason: 'unverified' }],
    )
    await service.runJob('erasure')
    const open = await service.platform.meta.selectFrom('erasure').select('id').where('done_at', 'is', null).execute()
    assert.deepEqual(open, [])
  })

  it('stays while it is suspended, and its days begin when the suspension ends', async ({
    service,
    administrator,
    ben,
  }) => {
    await administrator.post('/api/admin/suspend_user', { id: ben.id, reason: 'spam' })
    const found: boolean[] = []

    for (const days of [70, 70, 1, 60]) {
      service.clock.advance({ days })
      await looked(service)
      found.push((await remaining(service)).includes('ben'))
      await administrator.signIn()
      if (found.length === 2) await administrator.post('/api/admin/restore_user', { id: ben.id })
    }

    assert.deepEqual(found, [true, true, true, false])
  })

  it('is deleted in time after the clock was ahead for a while', async ({ service }) => {
    service.clock.advance({ days: 400 })
    await looked(service)
    service.clock.advance({ days: -400 })
    await newcomer(service, 'reader')
    service.clock.advance({ days: 60 })

    await looked(service)

    assert.deepEqual(await remaining(service), ['admin'])
  })

  it('is checked once a day', async ({ service, ben }) => {
    await looked(service)
    service.clock.advance({ days: 60, hours: -5 })
    await looked(service)
    service.clock.advance({ hours: 6 })
    await looked(service)
    const soon = await remaining(service)
    service.clock.advance({ hours: 18 })

    await looked(service)

    assert.ok(soon.includes('ben'))
    assert.equal((await remaining(service)).includes('ben'), false)
    assert.equal((await ben.get('/api/auth/get-session')).body, null)
  })
})

describe('with 0 days', () => {
  itWith({})('an account that never proved an address stays', async ({ service, ben }) => {
    service.clock.advance({ days: 365 })

    await looked(service)

    assert.ok(ben.id)
    assert.ok((await remaining(service)).includes('ben'))
  })
})
