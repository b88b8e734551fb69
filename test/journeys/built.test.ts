import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'

const repository = fileURLToPath(new URL('../..', import.meta.url))

describe('bin/gatehouse', () => {
  it('runs what was built until a source changes, whatever date that source has', () => {
    using clone = new Clone()

    const built = clone.run()
    clone.write('src/main.ts', says('sources'))
    utimesSync(join(clone.folder, 'src/main.ts'), 0, 0)
    const changed = clone.run()

    assert.deepEqual([built, changed], ['built', 'sources'])
  })

  it('runs the sources again when one of them was deleted', () => {
    using clone = new Clone()

    const built = clone.run()
    rmSync(join(clone.folder, 'client/terminal/words.ts'))
    const changed = clone.run()

    assert.deepEqual([built, changed], ['built', 'sources'])
  })

  it('runs the sources if nothing was built', () => {
    using clone = new Clone()
    rmSync(join(clone.folder, 'dist'), { recursive: true })

    assert.equal(clone.run(), 'sources')
  })
})

const says = (word: string) => `process.stdout.write('${word}')\n`

/** The launcher, next to programs that print their own name. */
class Clone implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'gatehouse-clone-'))

  constructor() {
    for (const folder of ['bin', 'client/terminal', 'dist', 'packages', 'scripts/packages', 'src'])
      mkdirSync(join(this.folder, folder), { recursive: true })
    symlinkSync(join(repository, 'node_modules'), join(this.folder, 'node_modules'))
    cpSync(join(repository, 'bin/gatehouse'), join(this.folder, 'bin/gatehouse'))
    for (const file of ['client/terminal/words.ts', 'package-lock.json', 'scripts/bundle.ts'])
      this.write(file, '')
    this.write('src/main.ts', says('sources'))
    this.write('dist/gatehouse.mjs', says('built'))
    this.write('dist/.sources', '')
    // Later than the files above; the first run takes longer than this.
    const built = new Date(Date.now() + 10)
    utimesSync(join(this.folder, 'dist/.sources'), built, built)
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text)
  }

  run(): string {
    return execFileSync(join(this.folder, 'bin/gatehouse'), { encoding: 'utf8' })
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true })
  }
}
