import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { untilSo } from '../faults/support/replicated.ts'
import { freshDatabase, rowsIn, testServer } from '../postgres/databases.ts'
import { Installation, type Life } from '../processes/installation.ts'
import { grantFor } from '../service/grants.ts'
import type { Person } from '../service/people.ts'

const SCOPES = 'admin:events:read admin:users:read admin:organizations:read'

const installation = new Installation()
let database: Awaited<ReturnType<typeof freshDatabase>>
let env: Readonly<Record<string, string>>
let life: Life
let administrator: Person

beforeAll(async () => {
  const credentials = await installation.prepare()
  database = await freshDatabase(await testServer())
  env = { GATEHOUSE_CONFIG_DIR: join(installation.dataDir, 'client'), SHOP: database.url }
  life = await installation.serve()
  administrator = await life.signedIn(credentials)
  for (const [name, scopes] of [
    ['prod', SCOPES],
    ['blind', 'admin:events:read'],
    ['narrow', 'admin:events:read admin:users:read'],
  ] as const) {
    const { tokens } = await grantFor(administrator, scopes)
    const child = installation.start(['connect', name, life.url, scopes.replaceAll(' ', ','), '--token-stdin'], env)
    child.stdin?.end(tokens.access_token)
    assert.deepEqual(await once(child, 'close'), [0, null])
  }
})

afterAll(async () => {
  await installation[Symbol.asyncDispose]()
  await database.drop()
})

async function run(...words: readonly string[]) {
  const { code, stdout, stderr } = await installation.run(['mirror', ...words], env)
  return { code, out: stdout.trim(), err: stderr.trim() }
}

function sql(text: string) {
  return rowsIn(database.url, text)
}

async function rename(name: string): Promise<void> {
  await administrator.post('/api/auth/update-user', { name })
}

function hasName(name: string) {
  return untilSo(`${name} is there`, async () => {
    const rows = await sql('select name from gatehouse.users')
    return rows.some((row) => row.name === name)
  })
}

describe('gatehouse mirror', () => {
  it('copies on the host and over a connection, and both can verify the other', async () => {
    const file = join(installation.dataDir, 'shop')
    writeFileSync(file, `${database.url}\n`)

    assert.deepEqual(
      [(await run('env:SHOP', '--once')).code, (await run('verify', `file:${file}`, 'prod')).out],
      [0, '1 rows are equal'],
    )
    await rename('Over a connection')
    assert.deepEqual(
      [(await run(database.url, 'prod', '--once')).code, (await run('verify', 'env:SHOP')).out],
      [0, '1 rows are equal'],
    )
  })

  it('says at its start and in verify that a connection without their scope leaves organizations and members out', async () => {
    const alone = ['--schema', 'alone'] as const

    const { err } = await run('env:SHOP', 'narrow', '--once', ...alone)
    const verified = await run('verify', 'env:SHOP', 'narrow', ...alone)

    assert.match(err, /^gatehouse mirror: organizations and members stay empty, .* lacks admin:organizations:read/)
    assert.deepEqual([verified.code, verified.out], [0, '1 rows are equal'])
    assert.match(verified.err, /only users were compared: .* lacks admin:organizations:read/)
  })

  it('goes on until it is stopped; killed in between, it goes on where it was', async () => {
    for (const [way, name, signal] of [
      [['env:SHOP'], 'Ann', 'SIGKILL'],
      [['env:SHOP', 'prod'], 'Ben', 'SIGKILL'],
      [['env:SHOP'], 'Carl', 'SIGTERM'],
      [['env:SHOP', 'prod'], 'Dana', 'SIGTERM'],
    ] as const) {
      const child = installation.start(['mirror', ...way], env)
      const closed = once(child, 'close')
      await rename(name)
      await hasName(name)
      child.kill(signal)
      assert.deepEqual(await closed, signal === 'SIGKILL' ? [null, signal] : [0, null])
    }

    assert.deepEqual(await run('verify', 'env:SHOP', 'prod'), { code: 0, out: '1 rows are equal', err: '' })
  })

  it('verify exits 2 with a line for each row that differs', async () => {
    await sql(`update gatehouse.users set name = 'Wrong', role = null`)

    const { code, out, err } = await run('verify', 'env:SHOP')
    await run('env:SHOP', '--once', '--recopy')

    assert.equal(code, 2)
    assert.match(out, /^users "[\w-]+": name, role$/)
    assert.match(err, /1 rows differ, 0 are equal/)
    assert.equal((await run('verify', 'env:SHOP')).code, 0)
  })

  it('exits 1 in one line without a password for what could not be done', async () => {
    for (const [words, says] of [
      [[], /DATABASE is missing/],
      [['mysql://a:hunter2@b/c'], /DATABASE is postgres:/],
      [['env:NOT_SET'], /NOT_SET is not set/],
      [['file:/nowhere/at/all'], /nowhere\/at\/all does not exist/],
      [['file:/'], /\/ is a folder, not a file/],
      [['env:SHOP', 'prod', 'more'], /unexpected argument "more"/],
      [['env:SHOP', '--schema', 'pg_catalog'], /the server itself/],
      [['env:SHOP', '--forever'], /--forever/],
      [['postgres://a:hunter2@127.0.0.1:1/c'], /ECONNREFUSED/],
      [['verify', 'postgres://a:hunter2@127.0.0.1:1/c'], /ECONNREFUSED/],
      [['verify', 'env:SHOP', '--schema', 'empty'], /has no mirror/],
      [['env:SHOP', 'nobody'], /no connection named "nobody"/],
      [['env:SHOP', 'blind'], /lacks admin:users:read/],
    ] as const) {
      const { code, out, err } = await run(...words)
      assert.deepEqual([code, out, err.split('\n').length], [1, '', 1], `${words}: ${err}`)
      assert.match(err, says)
      assert.doesNotMatch(err, /hunter2/)
    }
  })
})
