import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'
import { TABLE_OWNERS } from '../src/database/schema/tables.ts'

const root = fileURLToPath(new URL('../src', import.meta.url))

/** The caller of a request is found by one statement, since every request pays for it. */
const CALLER_STATEMENT = 'features/people/callers/store.ts'
const OF_THE_CALLER = [
  'user',
  'user_shards',
  'settings',
  'beta_codes',
  'session',
  'api_grant',
  'access_token',
  'application',
  'member',
  'organization',
  'team',
]

describe('a table', () => {
  it('is named only in the folder of its owner', () => {
    const strays = sources().flatMap((file) =>
      tablesIn(readFileSync(join(root, file), 'utf8'))
        .filter((table) => !file.startsWith(`${TABLE_OWNERS[table]}/`))
        .filter((table) => !(file === CALLER_STATEMENT && OF_THE_CALLER.includes(table)))
        .map((table) => `${file} names ${table} of ${TABLE_OWNERS[table]}`),
    )
    assert.deepEqual(strays, [])
  })

  it('is found however a statement names it', () => {
    const text = `db.selectFrom('user')
      .leftJoin('user_shards as home', 'home.user_id', 'user.id')
      .where(sql\`(select count(*) from erasure, shards)\`)
      eb.selectFrom(['residents', 'feedbacks'])
      sql.table('account')
      sql<number>\`insert into "session" select 1\``
    assert.deepEqual(tablesIn(text).toSorted(), [
      'account',
      'erasure',
      'feedbacks',
      'residents',
      'session',
      'shards',
      'user',
      'user_shards',
    ])
  })
})

function sources(): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.ts$/.test(name) && !/\.test\.ts$/.test(name) && !name.startsWith('database/migrations/'),
  )
}

type Table = keyof typeof TABLE_OWNERS

function tablesIn(text: string): readonly Table[] {
  const calls = text.matchAll(
    /\b(?:selectFrom|insertInto|insertWhere|sweepRows|updateTable|deleteFrom|mergeInto|using|from|table|\w*[jJ]oin)\(\s*([^()]*)/g,
  )
  const literals = [...calls].flatMap(([, named = '']) => [...named.matchAll(/'(\w+)(?: as \w+)?'/g)])
  const texts = text.matchAll(/\bsql(?:<[^`]*?>)?`([^`]*)`/g)
  const clauses = [...texts].flatMap(([, words = '']) => [
    ...words.matchAll(/\b(?:from|join|into|update)\s+([\w",\s]+)/g),
  ])
  const names = [...literals.map(([, name = '']) => name), ...clauses.flatMap(([, list = '']) => list.split(/[\s",]+/))]
  return [...new Set(names)].filter((name): name is Table => name in TABLE_OWNERS)
}
