import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ON_STORES } from '../on-stores.ts'
import { together } from './groups.ts'

const entry = fileURLToPath(new URL('entry.ts', import.meta.url))
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}.ts`, import.meta.url))

async function runTogether(files: readonly string[]) {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(process.execPath, ['--test-reporter=tap', entry, ...files], { env })
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  return { out, code }
}

describe('test files in one process', () => {
  it('are at most eight, and each file is in one process', () => {
    const files = globSync([...ON_STORES])

    const processes = together(files)

    assert.deepEqual(processes.flat().toSorted(), files.toSorted())
    assert.ok(processes.length < files.length / 4)
    assert.ok(processes.every(({ length }) => length <= 8))
  })

  it('are none whose hooks or globals would reach the tests of others, and none that has to be alone', () => {
    const files = [
      'src/database/postgres/engine.test.ts',
      'test/security/requests/fuzz.test.ts',
      'test/faults/crash.test.ts',
    ]

    assert.deepEqual(
      together(files),
      files.map((file) => [file]),
    )
  })

  it('run one after the other, and fail if a test of one fails', async () => {
    const { out, code } = await runTogether([fixture('passes'), fixture('skips')])

    const names = [...out.matchAll(/^(?:not )?ok \d+ - ([^#\n]*)/gm)].map(([, name = '']) => name.trim())
    assert.deepEqual(names, ['a part of its own', 'runs', 'fails', 'a part', 'a whole part'])
    assert.equal(code, 1)
  })

  it('fail if one of them cannot be loaded', async () => {
    const { out, code } = await runTogether([fixture('passes'), fixture('nowhere')])

    assert.match(out, /not ok 1 - a part of its own/)
    assert.equal(code, 1)
  })
})
