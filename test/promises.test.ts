import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'
import { BROWSER_JOURNEYS, ON_STORES, TEST_PROJECTS } from './running/parts.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const checklist = textOf('docs/checklist.md')
const specification = textOf('docs/specification.md')

/** Below a line: `file`, then part of a "title". */
const TEST = /^ +- `([^`]+)` "([^"]+)"$/m
/** The title of a table stands behind its rows. */
const TITLE = /^( *)(?:(?:describe|it|test)\b[^'"`\n]*|[\])}][^'"`\n]*)\(\s*(['"`])((?:\\.|(?!\2).)*)\2/gms

/** Titles of tests from here on carry the number of their line. */
const FIRST_NUMBERED = 67
/** Lines about the client’s terminal, modes of files, files that PostgreSQL does not have, browsers and `deploy/`. */
const ON_ONE_ENGINE: readonly number[] = [78, 80, 97, 111, 120, 131]
/** Files with these imports send requests. */
const THROUGH_HTTP = /\/(house|installation|it|listening|service|shop|webhooks)\.ts'/

const inNpmTest = new Set([
  ...TEST_PROJECTS.flatMap(({ include, exclude }) => globSync([...include], { cwd: root, exclude: [...exclude] })),
  ...globSync(BROWSER_JOURNEYS, { cwd: root }),
])
const onBothEngines = new Set(globSync([...ON_STORES], { cwd: root }))
const lines = linesOf()
const numbered = lines.filter(({ number }) => number >= FIRST_NUMBERED)

describe('the security checklist', () => {
  it('numbers its lines in order, each once', () => {
    const numbers = lines.map(({ number }) => number)

    assert.deepEqual(
      numbers,
      [...new Set(numbers)].toSorted((a, b) => a - b),
    )
  })

  it('has nothing below a line but its tests', () => {
    const strays = checklist.split('\n').filter((row) => /^ +\S/.test(row) && !TEST.test(row))

    assert.deepEqual(strays, [])
  })

  it('names only tests that exist', () => {
    const missing = namedTests(lines).filter(({ file, title }) => pathsOf(file, title).length === 0)

    assert.deepEqual(missing, [])
  })

  it('names a test for each line that runs in `npm test`', () => {
    const without = lines.filter(({ tests }) => !tests.some(({ file }) => inNpmTest.has(file)))

    assert.deepEqual(without, [])
  })

  it(`has its number in the title of each test from line ${FIRST_NUMBERED} on`, () => {
    const unnumbered = namedTests(numbered).filter(({ number, file, title }) => {
      const carried = new RegExp(`checklist ${number}\\b|^${number}[.:] `)
      return !pathsOf(file, title).some((path) => path.some((one) => carried.test(one)))
    })

    assert.deepEqual(unnumbered, [])
  })

  it(`has a test through HTTP that runs on both engines for each line from ${FIRST_NUMBERED} on`, () => {
    const isProof = ({ file }: NamedTest) => onBothEngines.has(file) && THROUGH_HTTP.test(textOf(file))
    const without = numbered
      .filter(({ number, tests }) => !ON_ONE_ENGINE.includes(number) && !tests.some(isProof))
      .map(({ number }) => number)

    assert.deepEqual(without, [])
  })
})

describe('the specification', () => {
  it('has a test in `npm test` for each of its rules, with the rule in its title', () => {
    const rules = [...specification.matchAll(/^- \*\*((?:Email r|R)ule \d+)\./gm)]
    const titles = [...inNpmTest].flatMap(titlesOf).map((path) => path.at(-1) ?? '')

    const untested = rules.filter(([, rule = '']) => {
      const [name = '', number = ''] = rule.toLowerCase().split(/ (?=\d)/)
      const cited = new RegExp(`(?<!${name === 'rule' ? 'email ' : '#'})\\b${name}s? (\\d+ and )?${number}\\b`)
      return !titles.some((title) => cited.test(title))
    })

    assert.equal(rules.length, 10)
    assert.deepEqual(untested, [])
  })
})

interface NamedTest {
  readonly file: string
  readonly title: string
}

interface Line {
  readonly number: number
  readonly tests: readonly NamedTest[]
}

function linesOf(): readonly Line[] {
  return checklist
    .split(/^(?=\d+\. )/m)
    .filter((part) => /^\d/.test(part))
    .map((part) => ({
      number: Number.parseInt(part, 10),
      tests: [...part.matchAll(new RegExp(TEST, 'gm'))].map(([, file = '', title = '']) => ({ file, title })),
    }))
}

function namedTests(some: readonly Line[]) {
  return some.flatMap(({ number, tests }) => tests.map((test) => ({ number, ...test })))
}

/** The title and those of the describes around it, of each test of the file that has the words in its title. */
function pathsOf(file: string, words: string): readonly (readonly string[])[] {
  return titlesOf(file).filter((path) => path.at(-1)?.includes(words))
}

/** Nested as the indentation shows. */
function titlesOf(file: string): readonly (readonly string[])[] {
  const around: { readonly indentation: number; readonly title: string }[] = []
  return [...textOf(file).matchAll(TITLE)].map(([, spaces = '', , text = '']) => {
    while ((around.at(-1)?.indentation ?? -1) >= spaces.length) around.pop()
    around.push({ indentation: spaces.length, title: text.replaceAll(/\\(.)/g, '$1') })
    return around.map(({ title }) => title)
  })
}

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
