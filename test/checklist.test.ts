import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const text = readFileSync(join(root, 'docs/checklist.md'), 'utf8')
/** Below a line: `file`, then part of a "title". */
const TEST = /^ +- `([^`]+)` "([^"]+)"$/m
const lines = linesOf()

/** Lines that are being built; a line leaves this list with its first test. */
const NOT_YET: readonly number[] = []

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
  return existsSync(join(root, file)) && titlesOf(file).some((candidate) => candidate.includes(title))
}

function titlesOf(file: string): readonly string[] {
  const source = readFileSync(join(root, file), 'utf8')
  return [...source.matchAll(/\b(?:describe|it)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs)].map(([, , title = '']) =>
    title.replaceAll(/\\(.)/g, '$1'),
  )
}
