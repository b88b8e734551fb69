import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { register, tokensFor } from '../../../../../test/service/applications.ts'
import {
  decideDevice,
  grantFor,
  poll,
  refreshWith,
  startDevice,
  userBehind,
} from '../../../../../test/service/grants.ts'
import { it as withService } from '../../../../../test/service/it.ts'
import type { Person } from '../../../../../test/service/people.ts'
import type { GrantKind } from '../../../../rules/caller.ts'
import { MOST_LIVING } from './redeeming-store.ts'

const SCOPE = 'account:profile:read'

interface Given {
  /** Makes further connections, each used a minute after the one before, the last one an hour ago. */
  readonly older: (person: Person, count: number, kind?: GrantKind) => Promise<void>
  readonly living: (person: Person, kind?: GrantKind) => Promise<number>
}

const it = withService.extend<Given>({
  older: async ({ service }, use) =>
    use(async (person, count, kind = 'tool') => {
      const used = service.clock.now() - 3_600_000
      const rows = Array.from({ length: count }, (_, i) => ({
        id: `${kind} ${i}`,
        user_id: person.id,
        client_id: kind === 'tool' ? 'cli-client' : 'shop',
        client_name: 'Older',
        kind,
        target_origin: service.config.baseUrl,
        scopes: SCOPE,
        is_offline: 1 as const,
        approval: 'none' as const,
        created_at: 1,
        last_used_at: used - (count - i) * 60_000,
        expires_at: Number.MAX_SAFE_INTEGER,
      }))
      await service.platform.meta.insertInto('api_grant').values(rows).execute()
    }),
  living: async ({ service }, use) =>
    use(async (person, kind = 'tool') => {
      const { length } = await service.platform.meta
        .selectFrom('api_grant')
        .select('id')
        .where('user_id', '=', person.id)
        .where('kind', '=', kind)
        .where('revoked_at', 'is', null)
        .execute()
      return length
    }),
})

async function byDevice(person: Person) {
  const { body } = await startDevice(person, SCOPE)
  await decideDevice(person, body.user_code, true)
  return poll(person, body.device_code)
}

describe('the two hundredth and first connection of a user', () => {
  it.for([
    ['a code', (ann: Person) => grantFor(ann, SCOPE)],
    ['a device', byDevice],
  ] as const)(
    'by %s ends the least recently used one, with its tokens, audit entry and event',
    async ([, connect], { service, administrator, ann, older, living }) => {
      const first = await grantFor(ann, SCOPE)
      const [{ id }] = (await ann.post('/api/list_grants')).body.items
      service.clock.advance({ hours: 10 })
      await older(ann, MOST_LIVING.tool - 1)
      const second = await refreshWith(ann, first.tokens.refresh_token)
      const before = await userBehind(ann, second.body.access_token)
      service.clock.advance({ hours: 10 })
      await service.platform.meta
        .updateTable('api_grant')
        .set({ last_used_at: service.clock.now() - 1 })
        .where('user_id', '=', ann.id)
        .where('id', '<>', id)
        .execute()
      await connect(ann)

      const after = await userBehind(ann, second.body.access_token)
      const refreshed = await refreshWith(ann, second.body.refresh_token)
      assert.deepEqual([before, after, refreshed.body.error], [ann.id, undefined, 'invalid_grant'])
      assert.equal(await living(ann), MOST_LIVING.tool)
      const log = await administrator.post('/api/admin/list_audit_entries', { action: ['grant.revoked'] })
      const [{ actor_id, subject_id, details }] = log.body.items
      assert.deepEqual(
        [log.body.total, actor_id, subject_id, details],
        [1, ann.id, id, { reason: 'too many connections' }],
      )
      await service.runJob('events')
      const events = await administrator.post('/api/admin/list_events', { types: ['grant.revoked'] })
      assert.deepEqual(
        events.body.items.map(({ data }: { data: unknown }) => data),
        [{ id, client_id: 'cli-client' }],
      )
    },
  )

  it('leaves two hundred, even if twenty are made at once', async ({ ann, older, living }) => {
    await older(ann, MOST_LIVING.tool - 10)
    await Promise.all(Array.from({ length: 20 }, () => grantFor(ann, SCOPE)))

    assert.equal(await living(ann), MOST_LIVING.tool)
  })

  it('counts neither personal tokens nor applications, nor other users’ connections', async ({
    administrator,
    ann,
    ben,
    older,
    living,
  }) => {
    const shop = await register(administrator)
    await older(ann, MOST_LIVING.tool, 'personal')
    await older(ben, MOST_LIVING.tool - 1)
    await tokensFor(ann, shop)
    await grantFor(ann, SCOPE)
    await grantFor(ben, SCOPE)

    assert.deepEqual(
      [await living(ann, 'personal'), await living(ann, 'application'), await living(ann)],
      [MOST_LIVING.tool, 1, 1],
    )
    assert.equal(await living(ben), MOST_LIVING.tool)
  })
})

describe('ended connections', () => {
  it('are listed up to three hundred, however often a program connects', async ({ service, ann, older }) => {
    await older(ann, 310)
    await service.platform.meta.updateTable('api_grant').set({ revoked_at: 2 }).where('user_id', '=', ann.id).execute()
    for (let i = 0; i < 5; i++) await grantFor(ann, SCOPE)

    assert.equal((await ann.post('/api/list_grants')).body.total, 305)
  })
})

describe('the connections of an application that outlive their session', () => {
  it('are ended by a later sign-in once there are too many', async ({ administrator, ann, older, living }) => {
    const scopes = ['openid', 'offline_access']
    const shop = await register(administrator, { scopes })
    await older(ann, MOST_LIVING.application + 20, 'application')
    const signIn = () => tokensFor(ann, shop, { scope: scopes.join(' '), prompt: 'consent' })
    for (let i = 0; i < 100 && (await living(ann, 'application')) > MOST_LIVING.application; i++) await signIn()

    assert.equal(await living(ann, 'application'), MOST_LIVING.application)
    assert.ok((await signIn()).access_token)
  })
})
