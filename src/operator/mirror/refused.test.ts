import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { connectionTo, it, mirrorOnce, type Product } from '../../../test/service/mirrored.ts'
import { newId } from '../../rules/ids.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { refuseSchema } from './preparing.ts'

const TABLES = `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema' order by 1`

async function namesIn(product: Product): Promise<readonly string[]> {
  return (await product.sql(TABLES)).map(({ name }) => name)
}

const STRANGE: Readonly<Record<string, readonly [made: readonly string[], words: RegExp]>> = {
  'a table of the product': [
    ['create schema gatehouse', 'create table gatehouse.users (id text primary key)'],
    /"gatehouse"\."users" was not made by a mirror/,
  ],
  'a view': [
    ['create schema gatehouse', 'create view gatehouse.members as select 1 as id'],
    /"gatehouse"\."members" was not made by a mirror/,
  ],
  'a state that only looks like one': [
    ['create schema gatehouse', 'create table gatehouse.mirror_state (cursor text)'],
    /"gatehouse"\."mirror_state" was not made by a mirror/,
  ],
  'the service’s own tables': [
    ['create table schema_migration (name text)', 'create table event_order (id text)'],
    /tables of Gatehouse itself, in "public"/,
  ],
  'a shard': [
    ['create schema apac', 'create table apac.schema_migration (name text)', 'create table apac.residents (id text)'],
    /tables of Gatehouse itself, in "apac"/,
  ],
}

const CHANGED: Readonly<Record<string, readonly [changed: string, words: RegExp]>> = {
  'of another type': [
    'alter table gatehouse.users alter email type varchar(99)',
    /"users" has no column "email" of type text/,
  ],
  'that is gone': ['alter table gatehouse.users drop name', /"users" has no column "name" of type text/],
  'without the key': ['alter table gatehouse.users drop constraint users_pkey', /"id" of type text as primary key/],
  'that is computed': [
    'alter table gatehouse.users drop role, add role text generated always as (id) stored',
    /"users" has no column "role" of type text/,
  ],
  'behind a view': [
    `alter table gatehouse.users rename to hidden; create view gatehouse.users as select * from gatehouse.hidden`,
    /"gatehouse"\."users" was not made by a mirror/,
  ],
}

describe('a mirror refuses, and touches nothing', () => {
  for (const [what, [made, words]] of Object.entries(STRANGE))
    it(`${what} in its place`, async ({ service, product }) => {
      for (const statement of made) await product.sql(statement)
      const before = await namesIn(product)

      await assert.rejects(
        mirrorOnce(service, product),
        (error) => error instanceof OperatorError && words.test(error.message),
      )

      assert.deepEqual(await namesIn(product), before)
    })

  for (const [what, [change, words]] of Object.entries(CHANGED))
    it(`a column ${what}`, async ({ service, product }) => {
      await mirrorOnce(service, product)
      await product.sql(change)

      await assert.rejects(
        mirrorOnce(service, product),
        (error) => error instanceof OperatorError && words.test(error.message),
      )
    })

  it('a column of the product that a later version needs', async ({ service, product }) => {
    await mirrorOnce(service, product)
    // As a mirror leaves it that did not know the column yet.
    await product.sql(`update gatehouse.mirror_state set columns = array_remove(columns, 'users.image')`)

    await assert.rejects(mirrorOnce(service, product), /"users" has a column "image" of the product/)
    await product.sql('alter table gatehouse.users rename image to picture')
    await mirrorOnce(service, product)

    const [{ columns }] = await product.sql('select columns from gatehouse.mirror_state')
    assert.ok(columns.includes('users.image'))
  })

  it('a copy at a stage that it does not know, until --recopy', async ({ service, product }) => {
    await mirrorOnce(service, product)
    await product.sql(`update gatehouse.mirror_state set copying = 'teams'`)

    await assert.rejects(mirrorOnce(service, product), (error) => {
      return error instanceof OperatorError && /another version of the mirror; run it with --recopy/.test(error.message)
    })
    await mirrorOnce(service, product, { isAgain: true })
    assert.deepEqual(await product.sql('select copying from gatehouse.mirror_state'), [{ copying: null }])
  })

  it('names of schemas that PostgreSQL would cut or that are its own', () => {
    for (const schema of ['', 'a\0b', 'ä'.repeat(32), 'pg_catalog', 'PG_temp', 'information_schema'])
      assert.throws(() => refuseSchema(schema), OperatorError)
    for (const schema of ['gatehouse', 'a"b; drop schema public', 'x'.repeat(63), 'Ä Ö']) refuseSchema(schema)
  })

  it('a database that cannot be reached, in one line', async ({ service, product }) => {
    const connect = async () => {
      throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1\nand more'), { code: 'ECONNREFUSED' })
    }

    await assert.rejects(mirrorOnce(service, product, { connect, isOnce: false }), (error) => {
      return error instanceof OperatorError && /ECONNREFUSED/.test(error.message) && !error.message.includes('\n')
    })
  })
})

describe('a mirror works', () => {
  for (const schema of ['a"b\'; drop schema public cascade; --', 'Ä Ö', 'public'])
    it(`in a schema named ${schema}`, async ({ service, product }) => {
      await mirrorOnce(service, product, { schema })

      const quoted = `"${schema.replaceAll('"', '""')}"`
      const [{ n }] = await product.sql(`select count(*)::int as n from ${quoted}.users`)
      assert.equal(n, 1)
    })

  it('with a role that may only create its schema, or write into one that exists', async ({ service, product }) => {
    const name = `mirror_${newId().replaceAll('-', '')}`
    const database = new URL(product.url).pathname.slice(1)
    await product.sql(`create role ${name} login`)
    await product.sql(`revoke create on schema public from public`)
    const url = new URL(product.url)
    url.username = name
    const asRole = { connect: connectionTo(url.href) }

    await assert.rejects(mirrorOnce(service, product, asRole), /permission denied for database/)
    await product.sql(`create schema gatehouse authorization ${name}`)
    await mirrorOnce(service, product, asRole)
    await product.sql(
      'alter table gatehouse.users enable row level security; alter table gatehouse.users force row level security',
    )
    await assert.rejects(mirrorOnce(service, product, { ...asRole, isAgain: true }), /row-level security/)

    await product.sql(
      `drop schema gatehouse cascade; revoke all on database "${database}" from ${name}; drop role ${name}`,
    )
  })

  it('under settings of the database that would get in its way', async ({ service, product }) => {
    const database = new URL(product.url).pathname.slice(1)
    for (const setting of [
      ...["search_path = ''", "default_transaction_isolation = 'serializable'"],
      ...[
        "timezone = 'Asia/Kathmandu'",
        "datestyle = 'SQL, DMY'",
        "intervalstyle = 'sql_standard'",
        'quote_all_identifiers = on',
        'default_transaction_read_only = on',
      ],
    ])
      await product.sql(`alter database "${database}" set ${setting}`)

    await mirrorOnce(service, product)

    const [{ created_at }] = await product.sql(
      'select extract(epoch from created_at) * 1000 as created_at from gatehouse.users',
    )
    assert.ok(Number(created_at) > 0)
  })
})
