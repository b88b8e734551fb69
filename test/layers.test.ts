import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Import {
  readonly from: string
  readonly to: string
  readonly isTypeOnly: boolean
}

const sources = ['src', 'client', 'web/src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => join(folder, name)),
)
const imports = sources.flatMap(importsOf)

describe('the direction of calls', () => {
  it('keeps the rest of the server out of pages and client, but for the type App', () => {
    const strays = imports.filter(
      ({ from, to, isTypeOnly }) =>
        /^(web|client)\//.test(from) && to.startsWith('src/') && !(to === 'src/app.ts' && isTypeOnly),
    )
    assert.deepEqual(strays, [])
  })

  it('lets http, rules, database and platform import no feature', () => {
    const strays = imports.filter(
      ({ from, to }) => /^src\/(http|rules|database|platform)\//.test(from) && to.startsWith('src/features/'),
    )
    assert.deepEqual(strays, [])
  })

  it('keeps a slice’s store to the slice', () => {
    const strays = imports.filter(({ from, to }) => isStore(to) && sliceOf(from) !== sliceOf(to))
    assert.deepEqual(strays, [])
  })

  it('keeps SQL and transport apart: a store knows no http, routes know no store', () => {
    const strays = imports.filter(
      ({ from, to, isTypeOnly }) =>
        (isStore(from) && to.startsWith('src/http/') && !isTypeOnly) ||
        (/\/routes\.ts$/.test(from) && isStore(to)),
    )
    assert.deepEqual(strays, [])
  })

  it('lets only config.ts read the environment', () => {
    const readers = sources.filter((file) => /process\.env/.test(readFileSync(join(root, file), 'utf8')))
    assert.deepEqual(readers, ['src/config/config.ts'])
  })
})

function importsOf(file: string): readonly Import[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/^(import|export)\s+(type\s)?[^'"]*?from\s+'(\.[^']+)'/gms)].map(
    ([, , type, to = '']) => ({
      from: file,
      to: normalize(join(dirname(file), to)),
      isTypeOnly: type !== undefined,
    }),
  )
}

function isStore(file: string): boolean {
  return /^src\/features\/.*\bstore(\.ts|\/)/.test(file)
}

function sliceOf(file: string): string | undefined {
  return /^src\/features\/([^/]+)\//.exec(file)?.[1]
}
