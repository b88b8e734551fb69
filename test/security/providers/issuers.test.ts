import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { createApp } from '../../../src/app.ts'
import { claimAccounts, warnAboutFormerAccounts } from '../../../src/features/identity/providers/issuers.ts'
import { enableProvider, linkVia, signInVia, whoIs } from '../../providers/journey.ts'
import { startPlainProvider } from '../../providers/plain-provider.ts'
import { builtPages } from '../../service/built-pages.ts'
import { Person, stranger } from '../../service/people.ts'
import { FROM_THIS_MACHINE, type Service, startService } from '../../service/service.ts'

/** Two forums, each with a member 42; the service is configured with the first. */
async function world() {
  const first = await startPlainProvider('community', { '/api/user': { id: 42, username: 'ann' } })
  const second = await startPlainProvider('community', { '/api/user': { id: 42, username: 'ben' } })
  const service = await startService({ env: { COMMUNITY_AUTH_URL: first.url } })
  await enableProvider(service, 'community')
  return {
    first,
    second,
    service,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await first[Symbol.asyncDispose]()
      await second[Symbol.asyncDispose]()
    },
  }
}

/** The same service, started again with another address behind the slot. */
function movedTo({ platform }: Service, communityAuthUrl: string) {
  const moved = { ...platform, config: { ...platform.config, communityAuthUrl } }
  const app = createApp(moved, builtPages())
  return {
    platform: moved,
    request: async (path: string, init?: RequestInit) => app.request(path, init, FROM_THIS_MACHINE),
  }
}

describe('checklist 77: behind another issuer', () => {
  it('checklist 77: the same id is another user, and the former user is found again behind the former issuer', async () => {
    await using w = await world()
    const ann = stranger(w.service)
    await signInVia(ann, 'community')
    const ben = new Person(movedTo(w.service, w.second.url), '', '')
    const annAgain = new Person(movedTo(w.service, w.first.url), '', '')

    await signInVia(ben, 'community')
    await signInVia(annAgain, 'community')

    assert.equal((await whoIs(ann)).email, 'community-42@community.local')
    assert.notEqual((await whoIs(ben)).id, (await whoIs(ann)).id)
    assert.match((await whoIs(ben)).email, /^community-42@[0-9a-f]{16}\.community\.local$/)
    assert.equal((await whoIs(annAgain)).id, (await whoIs(ann)).id)
  })

  it('checklist 77: its user is the same at the next sign-in', async () => {
    await using w = await world()
    await signInVia(stranger(w.service), 'community')
    const moved = movedTo(w.service, w.second.url)
    const ben = new Person(moved, '', '')
    await signInVia(ben, 'community')
    const { id } = await whoIs(ben)

    await signInVia(ben, 'community')

    assert.equal((await whoIs(ben)).id, id)
  })

  it('checklist 77: an account at the former provider stays listed, signs nobody in, and has to be unlinked before another is linked', async () => {
    await using w = await world()
    const moved = movedTo(w.service, w.second.url)
    const ann = new Person(moved, 'ann@example.com', 'an owl under the roof')
    await ann.signUp()
    const before = stranger(w.service, 'ann@example.com')
    await before.signIn()
    await linkVia(before, 'community')

    const refused = await linkVia(ann, 'community')
    const lastWay = await ann.post('/api/auth/unlink-account', { providerId: 'credential' })
    const unlinked = await ann.post('/api/auth/unlink-account', { providerId: 'community' })
    const linked = await linkVia(ann, 'community')

    assert.equal(refused, '/?error=provider_already_linked')
    assert.equal(lastWay.body.code, 'FAILED_TO_UNLINK_LAST_ACCOUNT')
    assert.deepEqual([unlinked.status, linked], [200, '/'])
  })

  it('checklist 77: the log at the start says how many accounts belong to the former one', async () => {
    await using w = await world()
    await signInVia(stranger(w.service), 'community')

    await warnAboutFormerAccounts(w.service.platform)
    await warnAboutFormerAccounts(movedTo(w.service, w.second.url).platform)

    const warnings = w.service.log.lines.filter(({ message }) => message.includes('the issuer behind'))
    assert.deepEqual(
      warnings.map(({ fields }) => fields),
      [{ provider: 'community', issuer: w.second.url, accounts: 1 }],
    )
  })
})

describe('an account from before issuers were stored', () => {
  it('belongs to the first issuer that is configured, for good', async () => {
    await using w = await world()
    const ann = stranger(w.service)
    await signInVia(ann, 'community')
    const { meta, config } = w.service.platform
    await meta.updateTable('account').set({ issuer: '' }).execute()

    await claimAccounts({ ...config, communityAuthUrl: undefined }, meta)
    await claimAccounts(config, meta)
    await claimAccounts({ ...config, communityAuthUrl: w.second.url }, meta)

    const rows = await meta.selectFrom('account').select(['provider', 'issuer']).orderBy('issuer').execute()
    assert.deepEqual(rows, [
      { provider: 'credential', issuer: '' },
      { provider: 'community', issuer: w.first.url },
    ])
  })

  it('stays as it is if its id has signed in under the issuer in the meantime', async () => {
    await using w = await world()
    await signInVia(stranger(w.service), 'community')
    const { meta, config } = w.service.platform
    const ben = new Person(movedTo(w.service, w.second.url), '', '')
    await signInVia(ben, 'community')
    await meta
      .updateTable('account')
      .set({ issuer: '' })
      .where('provider', '=', 'community')
      .where('issuer', '=', w.first.url)
      .execute()

    await claimAccounts({ ...config, communityAuthUrl: w.second.url }, meta)

    const rows = await meta
      .selectFrom('account')
      .select('issuer')
      .where('provider', '=', 'community')
      .execute()
    assert.deepEqual(rows.map(({ issuer }) => issuer).toSorted(), ['', w.second.url])
  })
})
