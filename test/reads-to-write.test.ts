import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const RULE = `Under READ COMMITTED on PostgreSQL, what a statement reads in order to write can change before it commits.
Say in a comment of the declaration why that is safe, with one of these words: lock(s, ed, User…), unique, checked again.`

describe('statements that read in order to write', () => {
  it('each say why they are safe under READ COMMITTED', () => {
    const files = globSync('src/**/*.ts', { cwd: root }).filter(
      (file) => !/\.test\.ts$|\/migrations\//.test(file),
    )
    const found = files.flatMap((file) =>
      readingToWrite(readFileSync(join(root, file), 'utf8')).map((it) => ({ ...it, file })),
    )
    assert.ok(found.length > 40, `only ${found.length} statements were found`)

    const silent = found.filter(({ text }) => !isExplained(text)).map(({ file, name }) => `${file}: ${name}`)
    assert.deepEqual(silent, [], RULE)
  })

  it('are found in each of their forms', () => {
    const copies = "function copies(db) {\n  return db.insertInto('a').expression(db.selectFrom('b'))\n}"
    const helped = "export function helped(meta) {\n  return insertWhere(meta, 'a', row, users)\n}"
    const asks = "export const asks = (db) =>\n  db.updateTable('a').where(({ exists }) => exists(b))"
    const upsert =
      "function upsert(db) {\n  return db.insertInto('a').onConflict((c) => c.set(sql`case when a.b`))\n}"
    const plain = "function plain(db) {\n  return db.insertInto('a').values(row)\n}"
    const reads = "function reads(db) {\n  return db.selectFrom('a').where(({ exists }) => exists(b))\n}"

    const text = [copies, helped, asks, upsert, plain, reads].join('\n\n')
    assert.deepEqual(
      readingToWrite(text).map(({ name }) => name),
      ['copies', 'helped', 'asks', 'upsert'],
    )
  })

  it('are explained by a comment only', () => {
    assert.equal(isExplained('/** After `lockUser`. */\nfunction a() {}'), true)
    assert.equal(isExplained('function a() {\n  // The row is checked again.\n}'), true)
    assert.equal(isExplained('/** Inserts a row. */\nfunction a() {\n  lockUser(unique)\n}'), false)
  })
})

interface Declaration {
  readonly name: string
  readonly text: string
}

/** Declarations at the top level, with the comment above, which a blank line parts from one another. */
function readingToWrite(source: string): readonly Declaration[] {
  return source
    .split(/\n\n(?=\S)/)
    .filter(readsToWrite)
    .map((text) => ({ name: /(?:function|const|class) (\w+)/.exec(text)?.[1] ?? text, text }))
}

function readsToWrite(text: string): boolean {
  const code = text.replace(COMMENTS, '')
  if (/\.expression\(|\binsertWhere\(/.test(code)) return true
  if (/\b(?:updateTable|deleteFrom|insertInto)\(/.test(code) && /\b(?:exists|whereExists)\(/.test(code))
    return true
  const upsert = code.slice(code.indexOf('onConflict('))
  return code.includes('onConflict(') && /\bcase\b|\.where\(/.test(upsert)
}

const COMMENTS = /^\s*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)$/gm

function isExplained(text: string): boolean {
  return (text.match(COMMENTS) ?? []).some((comment) =>
    /\b(?:locks?|locked|lock[A-Z]\w*|unique|checked again)\b/i.test(comment),
  )
}
