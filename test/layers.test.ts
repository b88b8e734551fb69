import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
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
  'letters',
  'acts',
  'health',
  'limits',
  'provider-presets',
  'settings',
  'shards',
  'signing',
  'idempotency',
  'product-data',
  'hooks',
  'beta-codes',
  'mail',
  'memberships',
  'sessions',
  'product-scopes',
  'refusals',
  'clients',
  'grants',
  'grant-calls',
  'callers',
  'signed-tokens',
  'openid',
  'revocations',
  'webhooks',
  'applications',
  'personal-tokens',
  'staff',
  'ending',
  'organizations',
  'credits',
  'notifications',
  'feedback',
  'replies',
  'moves',
  'account',
  'impersonations',
  'second-factor',
  'user-data',
  'client-logos',
  'approvals',
  'live',
  'daily-figures',
  'troubles',
  'overview',
  'views',
  'verify',
  'finding',
  'mcp',
]

const CLEANING = 'src/rules/one-line.ts'
const WORDS = [
  'src/rules/scopes.ts',
  'src/rules/acts.ts',
  'src/rules/event-types.ts',
  'src/rules/pieces.ts',
  'src/rules/words/calls-en.ts',
  'src/rules/words/calls-zh.ts',
]

interface Import {
  readonly from: string
  readonly to: string
  readonly isTypeOnly: boolean
}

const imports = globSync('{src,client,packages,web/src}/**/*.{ts,tsx}', { cwd: root })
  .filter((file) => !/\.test\.tsx?$/.test(file))
  .flatMap(importsOf)

describe('the direction of calls', () => {
  it('keeps the rest of the server out of pages and client, but for the type App, the words of scopes, acts and events, the cleaning of text and what finds its own files', () => {
    const strays = imports.filter(
      ({ from, to, isTypeOnly }) =>
        /^(web|client|packages)\//.test(from) &&
        to.startsWith('src/') &&
        !(to === 'src/app.ts' && isTypeOnly) &&
        !(to === CLEANING && /^(client|web)\//.test(from)) &&
        !(to === 'src/config/own-files.ts' && from.startsWith('client/')) &&
        !(WORDS.includes(to) && from.startsWith('web/')),
    )

    assert.ok(imports.length > 1_000)
    assert.deepEqual(strays, [])
  })

  it('lets rules, config, database, platform, http and features import only what is below them', () => {
    const strays = imports.filter(
      ({ from, to }) => from.startsWith('src/') && LAYERS.indexOf(layerOf(to)) > LAYERS.indexOf(layerOf(from)),
    )

    assert.deepEqual(strays, [])
  })

  it('lets a slice import only slices below it, types too, and gives each slice a place', () => {
    const strays = imports.filter(({ from, to }) => {
      const [slice, other] = [sliceOf(from), sliceOf(to)]
      return slice !== undefined && other !== undefined && SLICES.indexOf(other) > SLICES.indexOf(slice)
    })

    const slices = globSync('src/features/*/*', { cwd: root }).map((folder) => basename(folder))
    assert.deepEqual(slices.toSorted(), SLICES.toSorted())
    assert.deepEqual(strays, [])
  })

  it('keeps a slice’s store to the slice, and out of its routes', () => {
    const strays = imports.filter(
      ({ from, to }) => isStore(to) && (sliceOf(from) !== sliceOf(to) || from.endsWith('/routes.ts')),
    )

    assert.deepEqual(strays, [])
  })

  it('gives stores and statements the store that they query, not the platform or a request', () => {
    const strays = imports.filter(
      ({ from, to, isTypeOnly }) =>
        /^src\/features\/.*\b(store|statements)\.ts$/.test(from) &&
        (to.startsWith('src/platform/') || (to.startsWith('src/http/') && !isTypeOnly)),
    )

    assert.deepEqual(strays, [])
  })
})

function importsOf(from: string): readonly Import[] {
  const text = readFileSync(join(root, from), 'utf8')
  const declared = /^(?:import|export)\s+(type\s)?(?:[^'"]*?from\s+)?'(\.[^']+)'/gms
  const called = /\bimport\s*()\(\s*'(\.[^']+)'/g
  return [...text.matchAll(declared), ...text.matchAll(called)].map(([, type, to = '']) => ({
    from,
    to: normalize(join(dirname(from), to)),
    isTypeOnly: Boolean(type),
  }))
}

function layerOf(file: string): string {
  // The program's name and version belong to everyone.
  if (file === 'package.json') return 'rules'
  const folder = /^src\/([^/]+)\//.exec(file)?.[1]
  return folder === undefined || folder === 'operator' ? 'top' : folder
}

function isStore(file: string): boolean {
  return /^src\/features\/.*\bstore(\.ts|\/)/.test(file)
}

function sliceOf(file: string): string | undefined {
  return /^src\/features\/[^/]+\/([^/]+)\//.exec(file)?.[1]
}
