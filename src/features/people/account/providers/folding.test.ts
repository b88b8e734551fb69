import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { it } from '../../../../../test/providers/it.ts'
import { signInVia, whoIs } from '../../../../../test/providers/journey.ts'
import type { PlainProvider } from '../../../../../test/providers/plain-provider.ts'
import { type Person, people, stranger } from '../../../../../test/service/people.ts'
import type { Service } from '../../../../../test/service/service.ts'
import { eventsAfter } from '../../../ground/events/listing.ts'
import { laterAddress, synthetic } from './address.ts'

const FOLDED = 'community-alice+3bc51062973c458d@community.local'

describe('an address with capitals that 0.3.0 made from an id of the community', () => {
  it('is lower-cased, also as the name, and an event tells products', async ({ service, forum, visitor }) => {
    const { administrator } = await people(service)
    const { id } = await formerUser(service, forum, visitor, 'community-Alice@community.local')

    await service.runJob('addresses')
    await service.runJob('addresses')

    const { email, name } = await whoIs(visitor)
    assert.deepEqual([email, name], [FOLDED, FOLDED])
    assert.equal((await administrator.post('/api/admin/list_users', { search: 'alice' })).body.total, 1)
    const again = stranger(service)
    await signInVia(again, 'community')
    assert.equal((await whoIs(again)).id, id)
    await service.runJob('events')
    const { items } = await eventsAfter(service.platform, { types: ['user.updated'], limit: 10 })
    assert.deepEqual(
      items.map(({ user_id, data }) => [user_id, data]),
      [[id, { email: FOLDED, name: FOLDED }]],
    )
  })

  it('keeps the domain of a former issuer, and the user keeps a name of their own', async ({
    service,
    forum,
    visitor,
  }) => {
    const { platform } = service
    const label = laterAddress(synthetic('community-Alice'), forum.url).email
    const { id } = await formerUser(service, forum, visitor, label)
    await platform.meta.updateTable('user').set({ name: 'Alice' }).where('id', '=', id).execute()

    await service.runJob('addresses')

    const { email, name } = await whoIs(visitor)
    assert.match(email, /^community-alice\+3bc51062973c458d@[0-9a-f]{16}\.community\.local$/)
    assert.equal(name, 'Alice')
  })

  it('is left alone if it is a real address, or has been changed since', async ({ service, forum, visitor, carl }) => {
    await formerUser(service, forum, visitor, 'alice@example.com')

    await service.runJob('addresses')

    assert.equal((await whoIs(visitor)).email, 'alice@example.com')
    assert.equal((await whoIs(carl)).email, carl.email)
  })
})

/** Creates the user as that release would have. */
async function formerUser({ platform }: Service, forum: PlainProvider, visitor: Person, email: string) {
  forum.resources = { '/api/user': { id: 'Alice' } }
  await signInVia(visitor, 'community')
  const { id } = await whoIs(visitor)
  await platform.meta.updateTable('user').set({ email, name: email }).where('id', '=', id).execute()
  return { id }
}
