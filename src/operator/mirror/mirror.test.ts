import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { compared, mirroringOf, mirrorOnce, it as plain } from '../../../test/service/mirrored.ts'
import { join, ORGANIZATIONS, organizationOf, wire } from '../../../test/service/organizations.ts'
import { newcomer, type Person } from '../../../test/service/people.ts'
import type { Service } from '../../../test/service/service.ts'
import { updateUserRow } from '../../features/people/users/statements.ts'
import { hostSource } from './host-source.ts'
import { mirror } from './mirror.ts'

const it = plain.extend<{ settings: { readonly organizations: typeof ORGANIZATIONS } }>({
  settings: { organizations: ORGANIZATIONS },
})

async function rename({ platform: { meta } }: Service, { id }: Person, name: string): Promise<void> {
  await updateUserRow(meta, id, { name }).execute()
}

describe('a mirror', () => {
  it('has every user, organisation and member as they are, in types that a product can use', async ({
    service,
    product,
    administrator,
    ann,
    ben,
  }) => {
    const { id } = await organizationOf(ann, { slug: 'rowers' })
    const memberId = await join(service, { id }, ben, 'admin', 'member')
    await administrator.post('/api/admin/update_user_data', { id: ann.id, public: { plan: 'pro', seats: 2 } })
    await administrator.post('/api/admin/update_organization_data', { id, public: { tier: 'gold' } })
    await administrator.post('/api/admin/suspend_user', { id: ben.id, reason: 'Sent spam.' })

    await mirrorOnce(service, product)

    const [user] = await product.sql('select * from gatehouse.users where id = $1', [ann.id])
    assert.deepEqual(
      { ...user, created_at: user.created_at.getTime() > 0, updated_at: user.updated_at.getTime() > 0 },
      {
        ...{ id: ann.id, email: ann.email, email_verified: false, name: ann.email, image: null, role: 'user' },
        ...{ suspended_at: null, created_at: true, updated_at: true, deleted_at: null },
        public: { plan: 'pro', seats: 2 },
      },
    )
    const [organization] = await product.sql('select id, slug, name, public from gatehouse.organizations')
    assert.deepEqual(organization, { id, slug: 'rowers', name: 'Rowers', public: { tier: 'gold' } })
    const [member] = await product.sql('select * from gatehouse.members where user_id = $1', [ben.id])
    assert.deepEqual([member.id, member.organization_id, member.roles], [memberId, id, ['admin', 'member']])
    const [suspended] = await product.sql('select suspended_at from gatehouse.users where id = $1', [ben.id])
    assert.equal(suspended.suspended_at.getTime(), service.clock.now())
    const [state] = await product.sql('select current_at from gatehouse.mirror_state')
    assert.equal(state.current_at.getTime(), service.clock.now())
    assert.deepEqual(await compared(service, product), ['6 rows are equal'])
  })

  it('follows what happens: sign-up, change, data, suspension, membership, roles, deletion', async ({
    service,
    product,
    administrator,
    ann,
    ben,
  }) => {
    await mirrorOnce(service, product)
    const carl = await newcomer(service)
    const dana = await newcomer(service, 'dana@example.com')
    const steps: readonly (() => Promise<unknown>)[] = [
      () => ann.post('/api/auth/update-user', { name: 'Ann B.' }),
      () => administrator.post('/api/admin/update_user_data', { id: carl.id, public: { plan: 'pro' } }),
      () => administrator.post('/api/admin/mark_verified', { id: carl.id }),
      () => administrator.post('/api/admin/suspend_user', { id: carl.id, reason: 'Sent spam.' }),
      () => administrator.post('/api/admin/restore_user', { id: carl.id }),
      () => administrator.post('/api/admin/delete_user', { id: dana.id }),
    ]
    for (const step of steps) {
      await step()
      await mirrorOnce(service, product)
      assert.match((await compared(service, product)).join(), /^\d rows are equal$/)
    }
    const made = await organizationOf(ann)
    await mirrorOnce(service, product)
    const { body: added } = await wire(ann).post('create-role', { role: 'cox', permission: {} })
    assert.ok(added.success)
    await wire(ann).post('update', { organizationId: made.id, data: { name: 'Rowing Club', slug: 'club' } })
    await mirrorOnce(service, product)
    const own = await product.sql('select slug, name from gatehouse.organizations')
    await wire(ann).post('delete', { organizationId: made.id })
    await mirrorOnce(service, product)
    const left = await product.sql(
      'select (select count(*) from gatehouse.members) + count(*) as n from gatehouse.organizations',
    )

    assert.deepEqual(own, [{ slug: 'club', name: 'Rowing Club' }])
    assert.equal(left[0].n, '0')
    assert.deepEqual(await compared(service, product), [`${[administrator, ann, ben, carl].length} rows are equal`])
  })

  it('lets two users swap addresses, also where the product keeps them unique', async ({
    service,
    product,
    ann,
    ben,
  }) => {
    await mirrorOnce(service, product)
    await product.sql('create unique index on gatehouse.users (email)')
    const { meta, now } = service.platform
    const move = (id: string, email: string) => updateUserRow(meta, id, { email, updated_at: now() }).execute()
    await move(ann.id, 'free@example.com')
    await move(ben.id, ann.email)
    await move(ann.id, ben.email)

    // The event of one of them comes a page later.
    await ann.post('/api/auth/update-user', { name: 'Ann B.' })
    await mirrorOnce(service, product)
    const between = await product.sql('select email from gatehouse.users where id = $1', [ben.id])
    await ben.post('/api/auth/update-user', { name: 'Ben B.' })
    await mirrorOnce(service, product)

    assert.deepEqual(between, [{ email: null }])
    assert.deepEqual(await compared(service, product), ['3 rows are equal'])
  })

  it('fills in a row that the product was faster to insert, and leaves the product’s own columns', async ({
    service,
    product,
  }) => {
    await mirrorOnce(service, product)
    await product.sql("alter table gatehouse.users add plan text not null default 'free'")
    const carl = await newcomer(service)
    await product.sql("insert into gatehouse.users (id, plan) values ($1, 'pro')", [carl.id])

    await mirrorOnce(service, product)

    assert.deepEqual(await product.sql('select email, plan from gatehouse.users where id = $1', [carl.id]), [
      { email: carl.email, plan: 'pro' },
    ])
    assert.deepEqual(await compared(service, product), ['2 rows are equal'])
  })

  it('keeps an emptied row of a deleted user that a row of the product refers to, also where that is checked at the commit', async ({
    service,
    product,
    administrator,
    ann,
    ben,
  }) => {
    await mirrorOnce(service, product)
    const carl = await newcomer(service)
    await mirrorOnce(service, product)
    await product.sql('create table invoice (user_id text references gatehouse.users (id))')
    await product.sql('create table note (user_id text references gatehouse.users (id) deferrable initially deferred)')
    await product.sql('create table mark (user_id text references gatehouse.users (id) on delete cascade)')
    await product.sql('insert into invoice values ($1)', [ann.id])
    await product.sql('insert into note values ($1)', [ben.id])
    await product.sql('insert into mark values ($1)', [carl.id])
    for (const { id } of [ann, ben, carl]) await administrator.post('/api/admin/delete_user', { id })

    await mirrorOnce(service, product)

    const kept = await product.sql(
      'select id, email, name, public, deleted_at is not null as deleted from gatehouse.users where email is null order by id',
    )
    const emptied = { email: null, name: null, public: null, deleted: true }
    assert.deepEqual(
      kept,
      [ann.id, ben.id].toSorted().map((id) => ({ id, ...emptied })),
    )
    assert.deepEqual(await product.sql('select * from mark'), [])
    assert.deepEqual(await compared(service, product), ['1 rows are equal'])
  })

  it('keeps every deleted user as an emptied row on request', async ({ service, product, administrator, ann }) => {
    await mirrorOnce(service, product, { keepsDeleted: true })
    await administrator.post('/api/admin/delete_user', { id: ann.id })

    await mirrorOnce(service, product, { keepsDeleted: true })

    const rows = await product.sql(
      'select email, deleted_at is not null as deleted from gatehouse.users where id = $1',
      [ann.id],
    )
    assert.deepEqual(rows, [{ email: null, deleted: true }])
    assert.deepEqual(await compared(service, product), ['2 rows are equal'])
  })

  it('says what the product’s database refuses, and has not moved on', async ({ service, product, ann }) => {
    await mirrorOnce(service, product)
    const [before] = await product.sql('select cursor from gatehouse.mirror_state')
    await product.sql(`create function refuse() returns trigger language plpgsql as
      $$ begin if new.name = 'Nobody' then raise 'no nobodies'; end if; return new; end $$`)
    await product.sql('create trigger refuse before update on gatehouse.users for each row execute function refuse()')
    await ann.post('/api/auth/update-user', { name: 'Nobody' })

    await assert.rejects(mirrorOnce(service, product), /no nobodies/)
    const [after] = await product.sql('select cursor from gatehouse.mirror_state')
    await product.sql('drop trigger refuse on gatehouse.users')
    await mirrorOnce(service, product)

    assert.deepEqual(after, before)
    assert.deepEqual(await compared(service, product), ['3 rows are equal'])
  })

  it('lets triggers of the product find their tables by the role’s own search path', async ({
    service,
    product,
    ann,
  }) => {
    await mirrorOnce(service, product)
    await product.sql('create table seen (name text)')
    await product.sql(`create function note() returns trigger language plpgsql as
      $$ begin insert into seen values (new.name); return new; end $$`)
    await product.sql('create trigger note after update on gatehouse.users for each row execute function note()')
    await ann.post('/api/auth/update-user', { name: 'Ann B.' })

    await mirrorOnce(service, product)
    await mirrorOnce(service, product, { isAgain: true })

    assert.deepEqual(await product.sql('select name from seen'), [{ name: 'Ann B.' }])
  })

  it('uses the server’s own operators, whatever others have made for its types in a schema of the search path', async ({
    service,
    product,
    ann,
  }) => {
    await organizationOf(ann)
    await product.sql('create table public.done (what text)')
    for (const [operator, left, right, gives] of [
      ['*', 'bigint', 'interval', 'interval'],
      ['+', 'timestamp with time zone', 'interval', 'timestamp with time zone'],
      ['=', 'text[]', 'text[]', 'boolean'],
      ['=', 'text', 'text', 'boolean'],
    ] as const)
      await product.sql(`create function public.seize(${left}, ${right}) returns ${gives} language plpgsql as
          $$ begin insert into public.done values ('${left} ${operator} ${right}'); return null; end $$;
        create operator public.${operator} (leftarg = ${left}, rightarg = ${right}, function = public.seize)`)

    await mirrorOnce(service, product)
    await mirrorOnce(service, product, { isAgain: true })
    const equal = await compared(service, product)

    assert.deepEqual(await product.sql('select distinct what from public.done'), [])
    assert.deepEqual(equal, ['5 rows are equal'])
  })

  it('is right after changes, deletions and sign-ups during the copy', async ({
    service,
    product,
    administrator,
    ann,
    ben,
  }) => {
    const carl = await newcomer(service)
    const source = hostSource(service.platform, new AbortController().signal)
    const meanwhile = [
      () =>
        rename(service, ann, 'unseen until its event').then(() =>
          ann.post('/api/auth/update-user', { name: 'Ann B.' }),
        ),
      () => administrator.post('/api/admin/delete_user', { id: ben.id }),
      () => newcomer(service, 'dana@example.com'),
      () => administrator.post('/api/admin/suspend_user', { id: carl.id, reason: 'Sent spam.' }),
    ]
    await service.runJob('events')

    await mirror(
      mirroringOf(service, product, {
        source: {
          ...source,
          read: async (table, wanted) => {
            const rows = await source.read(table, wanted)
            await meanwhile.shift()?.()
            await service.runJob('events')
            return rows
          },
        },
      }),
    )

    assert.equal(meanwhile.length, 0)
    assert.deepEqual(await compared(service, product), ['4 rows are equal'])
  })
})

describe('verify', () => {
  it('finds one changed cell, one missing row and one too many, and names the columns', async ({
    service,
    product,
    ann,
    ben,
  }) => {
    await mirrorOnce(service, product)
    await product.sql(`update gatehouse.users set updated_at = updated_at + interval '1 microsecond' where id = $1`, [
      ann.id,
    ])
    const changed = await compared(service, product)
    await product.sql('delete from gatehouse.users where id = $1', [ben.id])
    await product.sql(`insert into gatehouse.users (id, name) values ('nobody', 'Nobody')`)

    const differing = await compared(service, product)
    await mirrorOnce(service, product, { isAgain: true })

    assert.deepEqual(changed, [`users ${ann.id}: updated_at`])
    assert.deepEqual(
      differing.toSorted(),
      [
        `users ${ann.id}: updated_at`,
        `users ${ben.id}: not in the mirror`,
        'users nobody: not in Gatehouse',
      ].toSorted(),
    )
    assert.deepEqual(await compared(service, product), ['3 rows are equal'])
  })

  it('leaves out rows of which the feed has news', async ({ service, product, ann }) => {
    await mirrorOnce(service, product)
    await ann.post('/api/auth/update-user', { name: 'Ann B.' })

    assert.deepEqual(await compared(service, product), ['2 rows are equal'])
  })
})
