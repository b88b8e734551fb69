import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, it } from 'vitest'

const benchmarks = (option: string) => spawnSync(process.execPath, ['bench/run.ts', option], { encoding: 'utf8' })

describe('a program for developers', () => {
  it('says with --help how it is used', () => {
    const { status, stdout } = benchmarks('--help')

    assert.equal(status, 0)
    assert.match(stdout, /^npm run bench -- \[MEASURE…\].*\nMEASURE is one of: .*, session-check, .*\n$/)
  })

  it('says so without a stack if it does not know an option', () => {
    const { status, stdout, stderr } = benchmarks('--quickly')

    assert.deepEqual([status, stdout], [2, ''])
    assert.match(stderr, /^Unknown option '--quickly'.*\nnpm run bench -- .*\nMEASURE is one of: .*\n$/)
  })
})
