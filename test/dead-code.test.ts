import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

const files = globSync('{src,web,client,packages,bench,test,scripts,examples}/**/*.{ts,tsx,mjs,html}', {
  cwd: root,
  exclude: (name) => /^(node_modules|dist|peers)$/.test(name),
})
const textOf = new Map(
  [...files, 'package.json', '.ci/run', 'bin/gatehouse'].map((file) => [
    file,
    readFileSync(join(root, file), 'utf8'),
  ]),
)
const scripts = [...textOf.keys()].filter((file) => /\.(tsx?|mjs)$/.test(file))

/** A dynamic import can use any name. */
const EVERYTHING = '*'

describe('dead code', () => {
  it('no export that no other file imports', () => {
    const used = usedExports(scripts.flatMap((file) => importsIn(file, textOf.get(file) ?? '')))
    const unused = scripts.flatMap((file) =>
      exportsIn(textOf.get(file) ?? '')
        .filter((name) => !isEntry(file) && !isUsed(used, file, name))
        .map((name) => `${file}: ${name}`),
    )
    assert.deepEqual(unused, [])
  })

  it('no file that no other file imports or names', () => {
    const imported = new Set(
      scripts.flatMap((file) => importsIn(file, textOf.get(file) ?? '').map(({ to }) => to)),
    )
    const unused = scripts.filter((file) => !isEntry(file) && !imported.has(file) && !isNamed(file))
    assert.deepEqual(unused, [])
  })

  it('is found in every form of export and import', () => {
    const exported = `export const A = 1
export async function b() {}
export type C = string
export interface D {}
export class E {}
export { f, type G } from './g.ts'
export default h`
    const imported = `import { A, type C as Other } from './a.ts'
import type {
  D,
} from './a.ts'
import * as all from './b.ts'
const { x } = await import('./c.ts')
export { f, type G } from './g.ts'
all.one(all.two)`

    assert.deepEqual(exportsIn(exported), ['A', 'b', 'C', 'D', 'E', 'f', 'G'])
    assert.deepEqual(importsIn('x.ts', imported), [
      { to: 'a.ts', names: ['A', 'C'] },
      { to: 'a.ts', names: ['D'] },
      { to: 'b.ts', names: ['one', 'two'] },
      { to: 'c.ts', names: [EVERYTHING] },
      { to: 'g.ts', names: ['f', 'G'] },
    ])
  })
})

interface Import {
  readonly to: string
  readonly names: readonly string[]
}

/** Run or loaded by name, by a person, a test runner or a bundler; what products import from us. */
function isEntry(file: string): boolean {
  return [
    /\.(test|bench)\.tsx?$/,
    /^(scripts|examples|test\/openapi\/client)\//,
    /\/vite\.config\.ts$/,
    /^packages\/client\/\w+\.ts$/,
    /^packages\/server\/(verifier|frameworks\/\w+)\.ts$/,
  ].some((entry) => entry.test(file))
}

function isNamed(file: string): boolean {
  const { base, name } = parse(file)
  return [...textOf].some(
    ([other, text]) => other !== file && (text.includes(base) || text.includes(`'${name}'`)),
  )
}

function usedExports(imports: readonly Import[]): ReadonlyMap<string, ReadonlySet<string>> {
  const used = new Map<string, Set<string>>()
  for (const { to, names } of imports) used.set(to, new Set([...(used.get(to) ?? []), ...names]))
  return used
}

function isUsed(used: ReadonlyMap<string, ReadonlySet<string>>, file: string, name: string): boolean {
  const names = used.get(file)
  return names !== undefined && (names.has(name) || names.has(EVERYTHING))
}

function exportsIn(text: string): readonly string[] {
  const found = text.matchAll(
    /^export (?:declare )?(?:async )?(?:function\*?|const|let|class|interface|type|abstract class) (\w+)|^export (?:type )?\{([^}]*)\}/gm,
  )
  return [...found].flatMap(([, name, list]) => (name ? [name] : exportedNames(list ?? '')))
}

function importsIn(file: string, text: string): readonly Import[] {
  const named = text.matchAll(/^(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'(\.[^']+)'/gm)
  const whole = text.matchAll(/^import (?:type )?\* as (\w+) from '(\.[^']+)'/gm)
  const called = text.matchAll(/\bimport\(\s*['`](\.[^'`]+)['`]/g)
  const bare = text.matchAll(/^import '(\.[^']+)'/gm)
  const from = (path: string) => normalize(join(dirname(file), path))
  return [
    ...[...named].map(([, list = '', path = '']) => ({ to: from(path), names: importedNames(list) })),
    ...[...whole].map(([, name = '', path = '']) => ({ to: from(path), names: membersOf(name, text) })),
    ...[...called, ...bare].map(([, path = '']) => ({ to: from(path), names: [EVERYTHING] })),
  ].toSorted((a, b) => (a.to < b.to ? -1 : Number(a.to > b.to)))
}

function importedNames(list: string): readonly string[] {
  return namesIn(list).map((name) => name.split(' as ')[0] ?? '')
}

function exportedNames(list: string): readonly string[] {
  return namesIn(list).map((name) => name.split(' as ').at(-1) ?? '')
}

function namesIn(list: string): readonly string[] {
  return list
    .split(',')
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '')
}

function membersOf(name: string, text: string): readonly string[] {
  return [...text.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))].map(([, member = '']) => member)
}
