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
    const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !/\.test\.ts$|\/migrations\//.test(file))
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
    const upsert = "function upsert(db) {\n  return db.insertInto('a').onConflict((c) => c.set(sql`case when a.b`))\n}"
    const chosen = "function chosen(db) {\n  return db.deleteFrom('a').where('id', 'in', (eb) => eb.selectFrom('b'))\n}"
    const named = "function named(db, users) {\n  return db.deleteFrom('a').where('user_id', 'in', users)\n}"
    const limited = "function limited(db) {\n  return db.deleteFrom('a').where('id', 'in', oldest.limit(5))\n}"
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

const DECIDED = `What a decision reads can change before it commits, unless the decision has locked it.
Lock the rows in the query, or say in a comment of its declaration what is locked, with one of the words above.`

describe('what decisions read', () => {
  it('is locked, or a comment says what protects it', () => {
    const sources = globSync('src/**/*.ts', { cwd: root })
      .filter((file) => !/\.test\.ts$/.test(file))
      .map((file) => readFileSync(join(root, file), 'utf8'))
    const declared = declarationsIn(sources)
    const read = new Set(sources.flatMap(readInDecisions))
    assert.ok(read.size > 20, `only ${read.size} queries were found`)

    const silent = [...read].filter((name) => !(declared.get(name) ?? []).some(isProtected))
    assert.deepEqual(silent, [], DECIDED)
  })

  it('is found in each of its forms', () => {
    const plain = 'await meta.decide([lockUser(meta, id), other && codeOf(meta, id)], async () => {})'
    const named = 'const read = [accounts(meta), ...(await others(call))] as const\ndecideSignedIn(call, read, work)'
    const bare = 'return decide(call, [locked(meta), store.opened(meta)], async (act) => act.first(other(meta)))'
    const later = 'await decision.first(unclaimed(meta))\nawait decision.read([known ? undefined : withHash(meta)])'

    assert.deepEqual([plain, named, bare, later].flatMap(readInDecisions), [
      ...['lockUser', 'codeOf', 'accounts', 'others', 'locked', 'opened', 'other', 'unclaimed', 'withHash'],
    ])
  })

  it('is protected by a lock of its own or by what a comment says', () => {
    assert.equal(isProtected('function held(meta) {\n  return rows(meta).$call(lockRows(meta))\n}'), true)
    assert.equal(isProtected('/** For a decision that has locked the user. */\nfunction codeOf() {}'), true)
    assert.equal(isProtected('function spend(meta) {\n  return meta.updateTable(a).returning(b)\n}'), true)
    assert.equal(isProtected('/** A code. */\nfunction codeOf(meta) {\n  return meta.selectFrom(a)\n}'), false)
  })
})

/** The names of the functions that make the queries. */
function readInDecisions(source: string): readonly string[] {
  const lists = [...source.matchAll(DECISION)].flatMap(([, open = '', name]) => {
    if (name === undefined) return [open]
    return [...source.matchAll(new RegExp(`const ${name} = \\[([\\s\\S]*?)\\] as const`, 'g'))].map(
      ([, list = '']) => list,
    )
  })
  return lists.flatMap((list) => [...list.matchAll(QUERIES)].map(([, made = '']) => made))
}

/** Matches the list of a decision's queries, or the list's name. */
const DECISION =
  /(?:\.decide\(|(?<![.\w])decide\(\s*(?:\w+|\{ platform \}),|decideSignedIn\(\s*\w+,|decide(?:AboutUser|As|MailedCode|InShard)\(\s*[\w.]+,\s*[\w.]+,|(?:decision|act)\.(?:read|first)\()\s*(?:(\[[\s\S]*?\](?=,|\))|\w+\((?:[^()]|\([^()]*\))*\))|(\w+))/g
const QUERIES = /(?<![.\w])(?:\w+\.)?([a-z]\w*)\((?=(?:platform\.)?meta\b|shard\b|platform[,)]|db\b|call\b|provider\b)/g

function declarationsIn(sources: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const declarations = sources.flatMap((source) => source.split(/\n\n(?=\S)/))
  return Map.groupBy(declarations, (text) => /^(?:export )?(?:async )?(?:function|const) (\w+)/m.exec(text)?.[1] ?? '')
}

function isProtected(text: string): boolean {
  return (
    isExplained(text) ||
    /\$call\((?:lock|keep|skip)|(?:lock|keep)Rows\w*\(|\b(?:lock|held|keep)[A-Z]\w*\(|returning\(/.test(text)
  )
}

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
    ([, name]) => name === undefined || new RegExp(`const ${name} = \\w+\\s*\\.(?:selectFrom|where)\\(`).test(code),
  )
}

/** A write of its own, or a batch of statements that others make. */
const WRITES = /\b(?:updateTable|deleteFrom|insertInto|batch|batchFor|writeAs)\(/
/** A condition on other rows, or a list of ids that another query finds. */
const READS =
  /\b(?:exists|whereExists)\(|'in', (?:\(\w+\)|\w+(?:\(|\.(?:\$call|limit|where)\(|, ?\)))|'in', (?:users|grants|none|old|user)\b/
/** The values a query compares with: by name, or in place as a list of ids or a subquery. */
const QUERY = /'in', (\w+)\b|'[<>=]+', \(\w+\) =>\s*\w+\.selectFrom\(|\(select\b/g
const RAW_CONDITION = /\bexists (?:\$\{|\(select)/

const COMMENTS = /^\s*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)$/gm

function isExplained(text: string): boolean {
  return (text.match(COMMENTS) ?? []).some((comment) =>
    /\b(?:locks?|locked|lock[A-Z]\w*|unique|checked again)\b/i.test(comment),
  )
}
