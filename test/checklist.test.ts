import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'
import { ON_STORES } from './running/parts.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const text = readFileSync(join(root, 'docs/checklist.md'), 'utf8')
/** Below a line: `file`, then part of a "title". */
const TEST = /^ +- `([^`]+)` "([^"]+)"$/m
const TITLE = /^( *)(describe|it)\(\s*(['"`])((?:\\.|(?!\3).)*)\3/gms
const lines = linesOf()

/** Lines that are being built; a line leaves this list with its first test. */
const NOT_YET: readonly number[] = []

/** From here on the titles of the tests carry the number of their line. */
const FIRST_NUMBERED = 67
/** About the client's terminal, the modes of files, and files that PostgreSQL does not have. */
const ON_ONE_ENGINE: readonly number[] = [78, 80, 97]
/** What a file imports if its tests send requests. */
const THROUGH_HTTP = /\/(service|it|installation|listening)\.ts'/

const numbered = lines.filter(({ number }) => number >= FIRST_NUMBERED)

describe('the security checklist', () => {
  it('numbers its lines from 1 without a gap', () => {
    assert.deepEqual(
      lines.map(({ number }) => number),
      lines.map((_, index) => index + 1),
    )
  })

  it('names a test for each line', () => {
    const untested = lines.filter(({ tests }) => tests.length === 0).map(({ number }) => number)

    assert.deepEqual(untested, NOT_YET)
  })

  it('has nothing below a line but its tests, or that there is none yet', () => {
    const strays = text
      .split('\n')
      .filter((row) => /^ +\S/.test(row) && !TEST.test(row) && !/- no test yet$/.test(row))

    assert.deepEqual(strays, [])
  })

  it('names only tests that exist', () => {
    const missing = lines.flatMap(({ number, tests }) =>
      tests.filter((test) => !exists(test)).map(({ file, title }) => `${number}: ${file} "${title}"`),
    )

    assert.deepEqual(missing, [])
  })

  it(`has its number in the title of each test from line ${FIRST_NUMBERED} on`, () => {
    const unnumbered = numbered.flatMap(({ number, tests }) =>
      tests
        .filter((test) => !carriesNumber(number, test))
        .map(({ file, title }) => `${number}: ${file} "${title}"`),
    )

    assert.deepEqual(unnumbered, [])
  })

  it(`has a test through HTTP that runs on both engines for each line from ${FIRST_NUMBERED} on`, () => {
    const without = numbered
      .filter(({ number, tests }) => !ON_ONE_ENGINE.includes(number) && !tests.some(attacksOnBothEngines))
      .map(({ number }) => number)

    assert.deepEqual(without, [])
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
  return text
    .split(/^(?=\d+\. )/m)
    .filter((part) => /^\d/.test(part))
    .map((part) => ({
      number: Number.parseInt(part, 10),
      tests: [...part.matchAll(new RegExp(TEST, 'gm'))].map(([, file = '', title = '']) => ({
        file,
        title,
      })),
    }))
}

function exists({ file, title }: NamedTest): boolean {
  return existsSync(join(root, file)) && titlesOf(file).some((path) => path.at(-1)?.includes(title))
}

function carriesNumber(number: number, { file, title }: NamedTest): boolean {
  const carried = new RegExp(`checklist ${number}\\b|^${number}[.:] `)
  return titlesOf(file).some((path) => path.at(-1)?.includes(title) && path.some((one) => carried.test(one)))
}

function attacksOnBothEngines({ file }: NamedTest): boolean {
  const isOnBoth = ON_STORES.some((pattern) => matchesGlob(file, pattern))
  return isOnBoth && THROUGH_HTTP.test(readFileSync(join(root, file), 'utf8'))
}

/** Each title after those of the describes around it, as the indentation shows. */
function titlesOf(file: string): readonly (readonly string[])[] {
  const source = readFileSync(join(root, file), 'utf8')
  const around: { readonly indentation: number; readonly title: string }[] = []
  return [...source.matchAll(TITLE)].map(([, spaces = '', , , text = '']) => {
    const indentation = spaces.length
    while ((around.at(-1)?.indentation ?? -1) >= indentation) around.pop()
    around.push({ indentation, title: text.replaceAll(/\\(.)/g, '$1') })
    return around.map(({ title }) => title)
  })
}
