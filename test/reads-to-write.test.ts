import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'

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
    const chosen =
      "function chosen(db) {\n  return db.deleteFrom('a').where('id', 'in', (eb) => eb.selectFrom('b'))\n}"
    const named = "function named(db, users) {\n  return db.deleteFrom('a').where('user_id', 'in', users)\n}"
    const limited =
      "function limited(db) {\n  return db.deleteFrom('a').where('id', 'in', oldest.limit(5))\n}"
    const parted =
      "function parted(db, of) {\n  const some = of.where('b', '=', 1)\n  return db.deleteFrom('a').where('id', 'in', some)\n}"
    const compared =
      "function compared(db) {\n  return db.updateTable('a').where('b', '<', (eb) =>\n    eb.selectFrom('c'))\n}"
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder belongs to the code that is looked at.
    const raw = 'function raw(other) {\n  return sql`a.id = 1 and exists ${other}`\n}'
    const together =
      'function together(meta) {\n  return meta.batch([deleteIt(meta).where(({ exists }) => exists(b))])\n}'
    const plain = "function plain(db) {\n  return db.insertInto('a').values(row)\n}"
    const reads = "function reads(db) {\n  return db.selectFrom('a').where(({ exists }) => exists(b))\n}"

    const given = "function given(db, ids) {\n  return db.deleteFrom('a').where('id', 'in', ids)\n}"

    const found = [copies, helped, asks, upsert, chosen, named, limited, parted, compared, raw, together]
    const text = [...found, plain, reads, given].join('\n\n')
    assert.deepEqual(
      readingToWrite(text).map(({ name }) => name),
      [
        ...['copies', 'helped', 'asks', 'upsert', 'chosen', 'named', 'limited', 'parted', 'compared', 'raw'],
        'together',
      ],
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
  if (RAW_CONDITION.test(code)) return true
  if (WRITES.test(code) && (READS.test(code) || comparesWithQuery(code))) return true
  const upsert = code.slice(code.indexOf('onConflict('))
  return code.includes('onConflict(') && /\bcase\b|\.where\(/.test(upsert)
}

function comparesWithQuery(code: string): boolean {
  return [...code.matchAll(QUERY)].some(
    ([, name]) =>
      name === undefined || new RegExp(`const ${name} = \\w+\\s*\\.(?:selectFrom|where)\\(`).test(code),
  )
}

/** A write of its own, or a batch of statements that others make. */
const WRITES = /\b(?:updateTable|deleteFrom|insertInto|batch|batchBehind)\(/
/** A condition on other rows, or a list of ids that another query finds. */
const READS =
  /\b(?:exists|whereExists)\(|'in', (?:\(\w+\)|\w+(?:\(|\.(?:\$call|limit|where)\(|, ?\)))|'in', (?:users|grants|none|old|user)\b/
/** What a query gives, by its name or where it stands: in a list of ids, or as the value to compare with. */
const QUERY = /'in', (\w+)\b|'[<>=]+', \(\w+\) =>\s*\w+\.selectFrom\(|\(select\b/g
const RAW_CONDITION = /\bexists (?:\$\{|\(select)/

const COMMENTS = /^\s*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)$/gm

function isExplained(text: string): boolean {
  return (text.match(COMMENTS) ?? []).some((comment) =>
    /\b(?:locks?|locked|lock[A-Z]\w*|unique|checked again)\b/i.test(comment),
  )
}
