import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { it } from '../processes/it.ts'
import { runProgram } from '../processes/program.ts'
import { temporaryFolder } from '../service/temporary-folder.ts'

describe('gatehouse breaches', () => {
  it('builds a list of hashes or passwords, tells about it, and says by its exit code whether one is listed', async () => {
    const folder = temporaryFolder()
    const [hashes, plain, list] = ['hashes.txt', 'plain.txt', 'stolen.list'].map((name) => join(folder, name))
    assert.ok(hashes && plain && list)
    const run = (input: string | undefined, ...argv: string[]) => runProgram(['breaches', ...argv], {}, input)
    writeFileSync(hashes, `${hash('sha1', 'heron')}:2\n${hash('sha1', 'rare')}:1\n`)
    writeFileSync(plain, 'a pier\n')

    const built = await run(undefined, 'build', hashes, '-o', list, '--min-count', '2')
    assert.deepEqual([built.code, built.err], [0, ''])
    const told = await run(undefined, 'info', list)
    assert.deepEqual([told.code, /^1 passwords in /.test(told.out)], [0, true])
    const asked = await Promise.all(['heron\n', 'rare', 'a pier'].map((password) => run(password, 'check', list)))
    assert.deepEqual(
      asked.map(({ code, out }) => [code, out]),
      [
        [1, 'listed\n'],
        [0, 'not listed\n'],
        [0, 'not listed\n'],
      ],
    )
    assert.equal((await run(undefined, 'build', plain, '-o', list, '--plain')).code, 0)
    assert.equal((await run('a pier\r\n', 'check', list)).code, 1)
    assert.equal((await run('a heron\n', 'build', '-', '-o', list, '--plain')).code, 0)
    assert.equal((await run('a heron', 'check', list)).code, 1)
  })

  it('refuses what it cannot do in one line: no hashes, no list, no words', async ({ program }) => {
    const folder = temporaryFolder()
    const file = join(folder, 'input.txt')
    writeFileSync(file, 'heron\n')
    const ended = await Promise.all(
      [
        ['build', file, '-o', join(folder, 'list')],
        ['build', file],
        ['build', '-o', join(folder, 'list')],
        ['info', file],
        ['info', join(folder, 'missing')],
        ['check', file],
        ['check', join(folder, 'missing')],
        ['lose', file],
      ].map((argv) => runProgram(['breaches', ...argv], {}, '')),
    )
    assert.deepEqual(
      ended.map(({ code, err }) => [code, err.trimEnd().split('\n').length]),
      [1, 2, 2, 1, 1, 2, 2, 2].map((code) => [code, 1]),
    )
    await program.prepare()
    const sound = await program.run(['doctor'], { BREACH_LIST: file })
    assert.match(sound.stdout, /stolen passwords.*not a list made by/)
    const list = join(folder, 'list')
    await runProgram(['breaches', 'build', file, '-o', list, '--plain'], {}, '')
    writeFileSync(list, Buffer.concat([readFileSync(list).subarray(0, 64)], statSync(list).size))
    const half = await program.run(['doctor'], { BREACH_LIST: list })
    assert.match(half.stdout, /stolen passwords.*bucket 0 is damaged/)
    rmSync(file)
    const life = await program.serve({ BREACH_LIST: file })
    const ready = await fetch(`${life.url}/readyz`)
    assert.deepEqual([ready.status, Object(await ready.json()).status], [200, 'degraded'])
    await life.end()
  })
})
