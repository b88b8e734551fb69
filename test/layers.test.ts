import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Each may import those before it. `top` is what ties them together: routes, start, operator's commands. */
const LAYERS = ['rules', 'config', 'database', 'platform', 'http', 'features', 'top']

/** Each may import those before it, so that there is no circle. */
const SLICES = [
  'users',
  'events',
  'audit',
  'health',
  'limits',
  'provider-presets',
  'settings',
  'shards',
  'signing',
  'idempotency',
  'beta-codes',
  'mail',
  'sessions',
  'product-scopes',
  'clients',
  'factors',
  'grants',
  'callers',
  'signed-tokens',
  'openid',
  'revocations',
  'applications',
  'personal-tokens',
  'access',
  'credits',
  'notifications',
  'feedback',
  'moves',
  'identity',
  'security',
  'user-data',
  'webhooks',
  'live',
  'daily-figures',
  'overview',
  'verify',
]

interface Import {
  readonly from: string
  readonly to: string
  readonly isTypeOnly: boolean
}

const written = ['src', 'client', 'packages', 'web/src', 'test', 'bench', 'scripts'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|mjs)$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name)),
)
const sources = written.filter(
  (file) => /^(src|client|packages|web)\/.*\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file),
)
const imports = sources.flatMap(importsOf)

describe('the direction of calls', () => {
  it('keeps the rest of the server out of pages and client, but for the type App', () => {
    const strays = imports.filter(
      ({ from, to, isTypeOnly }) =>
        /^(web|client|packages)\//.test(from) &&
        to.startsWith('src/') &&
        !(to === 'src/app.ts' && isTypeOnly),
    )
    assert.deepEqual(strays, [])
  })

  it('lets rules, config, database, platform, http and features import only what is below them', () => {
    const strays = imports.filter(
      ({ from, to }) =>
        from.startsWith('src/') && heightOf(to, LAYERS, layerOf) > heightOf(from, LAYERS, layerOf),
    )
    assert.deepEqual(strays, [])
  })

  it('lets a slice import only slices below it, types too', () => {
    const strays = imports.filter(
      ({ from, to }) =>
        sliceOf(from) !== undefined &&
        sliceOf(to) !== undefined &&
        heightOf(to, SLICES, sliceOf) > heightOf(from, SLICES, sliceOf),
    )
    assert.deepEqual(strays, [])
  })

  it('places every slice', () => {
    const slices = sources.map(sliceOf).filter((slice) => slice !== undefined)
    assert.deepEqual([...new Set(slices)].sort(), SLICES.toSorted())
  })

  it('has no circle of files, types, tests and measures too', () => {
    assert.deepEqual(circles(written.flatMap(importsOf)), [])
  })

  it('finds a circle', () => {
    const circle = [
      { from: 'a', to: 'b', isTypeOnly: false },
      { from: 'b', to: 'c', isTypeOnly: true },
      { from: 'c', to: 'b', isTypeOnly: false },
    ]
    assert.deepEqual(circles(circle), ['b', 'c'])
  })

  it('sees every way to import', () => {
    const text = `import { a } from './a.ts'
import type { B } from './b.ts'
export { c } from './c.ts'
import './d.ts'
const e = await import('./e.ts')
type F = typeof import('./f.ts')`
    assert.deepEqual(
      importsIn('src/x.ts', text).map(({ to }) => to),
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `src/${name}.ts`),
    )
  })

  it('keeps a slice’s store to the slice', () => {
    const strays = imports.filter(({ from, to }) => isStore(to) && sliceOf(from) !== sliceOf(to))
    assert.deepEqual(strays, [])
  })

  it('keeps SQL and transport apart: stores do not import http, routes do not import stores', () => {
    const strays = imports.filter(
      ({ from, to, isTypeOnly }) =>
        (isStore(from) && to.startsWith('src/http/') && !isTypeOnly) ||
        (/\/routes\.ts$/.test(from) && isStore(to)),
    )
    assert.deepEqual(strays, [])
  })

  it('gives stores and statements the store that they query, not the platform', () => {
    const strays = imports.filter(
      ({ from, to }) =>
        /^src\/features\/.*\b(store|statements)\.ts$/.test(from) && to.startsWith('src/platform/'),
    )
    assert.deepEqual(strays, [])
  })

  it('passes a function in only from above: what lies below is imported', () => {
    const strays = sources
      .filter((file) => file.startsWith('src/'))
      .flatMap((file) => passedIn(file, readFileSync(join(root, file), 'utf8')))
      .filter(({ passed, to }) => passed.file !== to && isFunction(passed) && !isAbove(passed.file, to))
    assert.deepEqual(strays, [])
  })

  it('sees every function that is passed in by its name', () => {
    const text = `import { mount, other as another } from './mount.ts'
import { find, type Find } from './find.ts'
mount(app, (call) => find(call), find)
another({ handle: find, path: '/' })
mount(find(app))
elsewhere(find)`
    assert.deepEqual(
      passedIn('src/x.ts', text).map(({ passed, to }) => [passed.name, passed.file, to]),
      [
        ['find', 'src/find.ts', 'src/mount.ts'],
        ['find', 'src/find.ts', 'src/mount.ts'],
      ],
    )
  })

  it('keeps folders to sixteen files side by side', () => {
    const folders = Map.groupBy(written, dirname)
    const large = [...folders].filter(([, files]) => files.length > 16)
    assert.deepEqual(large, [])
  })

  it('lets only config.ts read the environment', () => {
    const readers = sources.filter((file) => /process\.env/.test(readFileSync(join(root, file), 'utf8')))
    assert.deepEqual(readers, ['src/config/config.ts'])
  })
})

function importsOf(file: string): readonly Import[] {
  return importsIn(file, readFileSync(join(root, file), 'utf8'))
}

function importsIn(file: string, text: string): readonly Import[] {
  const declared = /^(?:import|export)\s+(type\s)?(?:[^'"]*?from\s+)?'(\.[^']+)'/gms
  const called = /\bimport\s*()\(\s*'(\.[^']+)'/g
  return [...text.matchAll(declared), ...text.matchAll(called)].map(([, type, to = '']) => ({
    from: file,
    to: normalize(join(dirname(file), to)),
    isTypeOnly: Boolean(type),
  }))
}

/** What is left once each file that imports none of the others, or that none of them imports, is taken away. */
function circles(all: readonly Import[]): readonly string[] {
  const importing = new Set(all.map(({ from }) => from))
  const imported = new Set(all.map(({ to }) => to))
  const left = all.filter(({ from, to }) => imported.has(from) && importing.has(to))
  return left.length < all.length ? circles(left) : [...importing].toSorted()
}

interface Named {
  readonly name: string
  readonly file: string
}

/** What one file imports from a second and passes, by its name alone, to a function of a third. */
function passedIn(file: string, text: string): readonly { passed: Named; to: string; by: string }[] {
  const imported = new Map(
    [...text.matchAll(/^import \{([^}]*)\} from '(\.[^']+)'/gm)].flatMap(([, list = '', from = '']) =>
      list.split(',').map((entry) => {
        const [name = '', alias = name] = entry.trim().split(' as ')
        return [alias, { name, file: normalize(join(dirname(file), from)) }] as const
      }),
    ),
  )
  return [...text.matchAll(/\b(\w+)\(/g)].flatMap(({ 1: callee = '', index }) => {
    const to = imported.get(callee)?.file
    if (to === undefined) return []
    const names = argumentsOf(text.slice(index + callee.length + 1)).matchAll(/(?<=[,:{] *)\w+(?= *[,}])/g)
    return [...names]
      .flatMap(([name]) => imported.get(name) ?? [])
      .map((passed) => ({ passed, to, by: file }))
  })
}

/** On one line between commas, without what is in further parentheses. */
function argumentsOf(text: string): string {
  let flat = text.replace(/\s+/g, ' ')
  while (/^[^()]*\(/.test(flat)) flat = flat.replace(/\([^()]*\)/, '#')
  return `,${flat.slice(0, flat.indexOf(')'))},`
}

function isFunction({ name, file }: Named): boolean {
  const text = readFileSync(join(root, file), 'utf8')
  return new RegExp(
    `^export (async )?function ${name}\\b|^export const ${name}\\b[^=]*= (async )?\\(`,
    'm',
  ).test(text)
}

function isAbove(file: string, other: string): boolean {
  const layers = heightOf(file, LAYERS, layerOf) - heightOf(other, LAYERS, layerOf)
  return layers === 0 ? heightOf(file, SLICES, sliceOf) > heightOf(other, SLICES, sliceOf) : layers > 0
}

function heightOf(
  file: string,
  order: readonly string[],
  nameOf: (file: string) => string | undefined,
): number {
  return order.indexOf(nameOf(file) ?? '')
}

function layerOf(file: string): string {
  // What the program is called and which version it is belongs to everyone.
  if (file === 'package.json') return 'rules'
  const folder = /^src\/([^/]+)\//.exec(file)?.[1]
  return folder === undefined || folder === 'operator' ? 'top' : folder
}

function isStore(file: string): boolean {
  return /^src\/features\/.*\bstore(\.ts|\/)/.test(file)
}

function sliceOf(file: string): string | undefined {
  return /^src\/features\/([^/]+)\//.exec(file)?.[1]
}
