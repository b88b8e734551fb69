import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { warnOfTroubles } from '../../../src/features/ground/troubles/troubles.ts'
import { claimAccounts } from '../../../src/features/people/account/providers/issuers.ts'
import { it as base } from '../../providers/it.ts'
import { linkVia, signInVia, whoIs } from '../../providers/journey.ts'
import { type PlainProvider, startPlainProvider } from '../../providers/plain-provider.ts'
import { assertRefused } from '../../service/answers.ts'
import { builtPages } from '../../service/built-pages.ts'
import { Person, stranger } from '../../service/people.ts'
import { type Service, THIS_MACHINE } from '../../service/service.ts'
import { ask } from '../../service/without-socket.ts'

interface Fixtures {
  /** It has a member 42 as the first one has. */
  readonly second: PlainProvider
  /** The same service, started again with the second forum behind the slot. */
  readonly moved: ReturnType<typeof movedTo>
  readonly ben: Person
}

const it = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  second: async ({}, use) => {
    await using provider = await startPlainProvider('community', { '/api/user': { id: 42, username: 'ben' } })
    await use(provider)
  },
  moved: async ({ service, second }, use) => use(movedTo(service, second.url)),
  ben: async ({ moved }, use) => use(new Person(moved, '', '')),
})

function movedTo({ platform }: Service, communityAuthUrl: string) {
  const moved = { ...platform, config: { ...platform.config, communityAuthUrl } }
  const app = createApp(moved, builtPages())
  return {
    platform: moved,
    request: (path: string, init?: RequestInit) => ask(app, path, init, THIS_MACHINE),
  }
}

describe('checklist 77: behind another issuer', () => {
  it('checklist 77: the same id is another user, each time', async ({ forum, service, visitor, ben }) => {
    await signInVia(visitor, 'community')
    const again = new Person(movedTo(service, forum.url), '', '')

    await signInVia(ben, 'community')
    const bens = await whoIs(ben)
    await signInVia(ben, 'community')
    await signInVia(again, 'community')

    const { id, email } = await whoIs(visitor)
    assert.equal(email, 'community-42@community.local')
    assert.notEqual(bens.id, id)
    assert.match(bens.email, /^community-42@[0-9a-f]{16}\.community\.local$/)
    assert.equal((await whoIs(ben)).id, bens.id)
    assert.equal((await whoIs(again)).id, id)
  })

  it('checklist 77: a former account is in the way of another until unlinked', async ({ moved, carl }) => {
    await linkVia(carl, 'community')
    const after = new Person(moved, carl.email, carl.password)
    await after.signIn()
    const unlink = (providerId: string) => after.post('/api/auth/unlink-account', { providerId })

    assert.equal(await linkVia(after, 'community'), '/?error=provider_already_linked')
    assertRefused(await unlink('credential'), 'FAILED_TO_UNLINK_LAST_ACCOUNT')
    assert.equal((await unlink('community')).status, 200)
    assert.equal(await linkVia(after, 'community'), '/')
  })

  it('checklist 77: the log at the start says how many', async ({ second, moved, service, visitor }) => {
    await signInVia(visitor, 'community')

    await warnOfTroubles(service.platform)
    await warnOfTroubles(moved.platform)

    const warnings = service.log.lines.filter(({ message }) => message.includes('the issuer behind'))
    assert.equal(warnings.length, 1)
    assert.ok(warnings[0]?.message.startsWith(`the issuer behind community is now ${second.url}; 1 linked`))
  })
})

describe('an account from before issuers were stored', () => {
  it('belongs to the first issuer, for good', async ({ forum, second, service, visitor, carl }) => {
    await signInVia(visitor, 'community')
    const { meta, config } = service.platform
    await meta.updateTable('account').set({ issuer: '' }).execute()
    const claim = (communityAuthUrl?: string) => claimAccounts({ ...config, communityAuthUrl }, meta)

    await claim()
    await claim(forum.url)
    await meta.updateTable('account').set({ provider: 'community' }).where('user_id', '=', carl.id).execute()
    await claim(second.url)

    const rows = await meta
      .selectFrom('account')
      .select(['user_id', 'issuer'])
      .where('provider', '=', 'community')
      .execute()
    assert.deepEqual(Object.fromEntries(rows.map(({ user_id, issuer }) => [user_id, issuer])), {
      [(await whoIs(visitor)).id]: forum.url,
      [carl.id]: second.url,
    })
    const kept = await meta.selectFrom('account').select('issuer').where('provider', '=', 'credential').execute()
    assert.deepEqual(kept, [{ issuer: '' }])
  })

  it('stays as it is if its id has come back', async ({ forum, second, moved, service, ben }) => {
    await signInVia(stranger(service), 'community')
    await signInVia(ben, 'community')
    const { meta } = service.platform
    await meta.updateTable('account').set({ issuer: '' }).where('issuer', '=', forum.url).execute()

    await claimAccounts(moved.platform.config, meta)

    const accounts = meta.selectFrom('account').select('issuer').where('provider', '=', 'community')
    assert.deepEqual(await accounts.orderBy('issuer').execute(), [{ issuer: '' }, { issuer: second.url }])
  })
})
