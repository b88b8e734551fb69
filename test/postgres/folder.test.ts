import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { temporaryFolder } from './folder.ts'

/** A folder that PostgreSQL's user cannot enter: another user's if this is root, else one that nobody can. */
function closedFolder() {
  const path = mkdtempSync(join(temporaryFolder(), 'gatehouse-closed-'))
  chmodSync(path, 0)
  return {
    path,
    [Symbol.dispose]: () => {
      chmodSync(path, 0o700)
      rmSync(path, { recursive: true })
    },
  }
}

describe('the folder of the tests’ PostgreSQL', () => {
  it('is the temporary folder, and another one if its user cannot enter that', () => {
    using closed = closedFolder()
    const open = temporaryFolder()

    const found = temporaryFolder([closed.path, open])

    assert.equal(found, open)
  })

  it('is asked for in one sentence if there is none', () => {
    using closed = closedFolder()

    assert.throws(() => temporaryFolder([closed.path, closed.path]), {
      name: 'Error',
      message: `PostgreSQL does not run as root, and its user can enter none of ${closed.path}: set TMPDIR to a folder that everybody can enter`,
    })
  })
})
