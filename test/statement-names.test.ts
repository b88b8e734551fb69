import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'

const features = fileURLToPath(new URL('../src/features', import.meta.url))

describe('a statement', () => {
  it('does not share its name with an act, unless that only returns the statement', () => {
    const files = globSync('**/*.ts', { cwd: features })
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => ({ file, text: readFileSync(join(features, file), 'utf8') }))
    const statements = new Set(
      files.flatMap(({ file, text }) => (hasStatements(file) ? exportsIn(text) : [])),
    )
    const acts = files.flatMap(({ file, text }) =>
      hasStatements(file)
        ? []
        : exportsIn(text)
            .filter((name) => !onlyForwards(text, name))
            .map((name) => ({ file, name })),
    )

    assert.ok(statements.size > 100 && acts.length > 100)
    assert.deepEqual(
      acts.filter(({ name }) => statements.has(name)),
      [],
    )
  })
})

function hasStatements(file: string): boolean {
  return /(store|statements)\.ts$/.test(file)
}

/** Functions, and constants with a small first letter, which can be prepared statements. */
function exportsIn(text: string): readonly string[] {
  return [...text.matchAll(/^export (?:async )?(?:function|const) ([a-z]\w*)/gm)].map(([, name = '']) => name)
}

/** For other features, to which the store is private. */
function onlyForwards(text: string, name: string): boolean {
  return new RegExp(`^export function ${name}\\([^]*?\\{\\n {2}return \\w+\\.${name}\\(`, 'm').test(text)
}
