import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const PLACES = '{src,client,packages,web,test,bench,scripts,bin,deploy,docs,examples,.ci}/**'
const LONGEST_LINES: Readonly<Record<string, number>> = { 'README.md': 90, 'CHANGELOG.md': 120 }
const MOST_WORDS = 60_000
/** Not in the repository: made by the program or the build. */
const MADE = ['bench/results']

const paths = globSync([PLACES, '*.{md,json,ts}'], {
  cwd: root,
  exclude: (name) => /^(node_modules|dist)$/.test(name),
})
const files = paths.map((path) => path.replace(/\/$/, ''))
const documents = files.filter((file) => file.endsWith('.md'))
const sources = files.filter((file) => /\.(ts|tsx|mjs)$/.test(file))

describe('documents and comments', () => {
  it('name only files that exist, by the whole path or by its end', () => {
    const quoted = [
      ...documents.flatMap((file) => quotedIn(withoutBlocks(textOf(file))).map((name) => ({ file, name }))),
      ...sources.flatMap((file) => quotedIn(commentsOf(textOf(file))).map((name) => ({ file, name }))),
    ]
    const named = quoted.filter(({ name }) => /^[\w.-]+\/([\w./-]+\.(ts|tsx|mjs|md)|[\w./-]*\/)$/.test(name))

    const missing = named.filter(({ name }) => isOfUs(name) && !MADE.includes(trimmed(name)) && !exists(name))

    assert.ok(named.length > 200)
    assert.deepEqual(missing, [])
  })

  it('cite only sections, rules and checklist lines that exist', () => {
    const specification = textOf('docs/specification.md')
    const known = {
      section: numbersIn(specification, /^## (\d+)\. /gm),
      rule: numbersIn(specification, /^- \*\*Rule (\d+)\./gm),
      emailRule: numbersIn(specification, /^- \*\*Email rule (\d+)\./gm),
      line: numbersIn(textOf('docs/checklist.md'), /^(\d+)\. /gm),
    }

    const strays = [...documents, ...sources].flatMap((file) => {
      const text = textOf(file)
      const cited = (pattern: RegExp, numbers: ReadonlySet<string | undefined>) =>
        [...text.matchAll(pattern)].filter(([, number]) => !numbers.has(number))
      return [
        ...cited(/section (\d+) of `docs\/specification/g, known.section),
        ...cited(/checklist (\d+)/g, known.line),
        ...cited(/\bemail rule (\d+)/gi, known.emailRule),
        ...cited(/(?<!email )\brules? (\d+)/gi, known.rule),
      ].map(([citation]) => `${file}: ${citation}`)
    })

    assert.deepEqual(strays, [])
  })

  it('are short enough to be read: the first page, what changed, and all of docs/', () => {
    const lengths = Object.keys(LONGEST_LINES).map((file) => [file, textOf(file).trimEnd().split('\n').length] as const)
    // What is read: without code, and without the names of tests in the checklist.
    const words = documents
      .filter((file) => file.startsWith('docs/'))
      .map((file) => withoutBlocks(textOf(file)).replaceAll(/^ +- `.*$/gm, ''))
      .flatMap((text) => text.match(/\S*[\p{L}\p{N}]\S*/gu) ?? [])

    const long = lengths.filter(([file, lines]) => lines > (LONGEST_LINES[file] ?? 0))

    assert.deepEqual(long, [])
    assert.ok(words.length <= MOST_WORDS, `docs/ has ${words.length} words`)
  })

  it('number each decision once, and say on which day it was made', () => {
    const decisions = textOf('docs/decisions.md').match(/^\*\*.*$/gm) ?? []
    const numbers = decisions.map((decision) => /^\*\*(\d+)\. .* \(\d{4}-\d\d-\d\d\)$/.exec(decision)?.[1])

    assert.ok(decisions.length > 50)
    assert.equal(new Set(numbers).size, decisions.length)
    assert.ok(!numbers.includes(undefined), decisions[numbers.indexOf(undefined)])
  })
})

function isOfUs(name: string): boolean {
  return /\.(ts|tsx|mjs)$/.test(name) || /^(src|client|packages|web|test|bench|scripts|deploy|docs)\//.test(name)
}

function exists(name: string): boolean {
  return files.some((file) => `/${file}`.endsWith(`/${trimmed(name)}`))
}

function trimmed(name: string): string {
  return name.replace(/\/$/, '')
}

function quotedIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`\s]+)`|\]\((docs\/[^)#]+)/g)].map(([, quoted, linked]) => quoted ?? linked ?? '')
}

/** Examples in blocks name files of other machines. */
function withoutBlocks(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '')
}

function commentsOf(source: string): string {
  return (source.match(/\/\*[\s\S]*?\*\/|\/\/.*$/gm) ?? []).join('\n')
}

function numbersIn(text: string, pattern: RegExp): ReadonlySet<string | undefined> {
  return new Set([...text.matchAll(pattern)].map(([, number]) => number))
}

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
