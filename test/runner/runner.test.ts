import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const runner = fileURLToPath(new URL('../run.ts', import.meta.url))
const fixture = (name: string) => `test/runner/fixtures/${name}.ts`

/** As `npm test -- FILE…` runs it, with this environment beside its own. */
async function run(files: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { NODE_TEST_CONTEXT: _, CI: __, ...own } = process.env
  const child = spawn(process.execPath, [runner, ...files], { env: { ...own, ...env } })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { out, err, code }
}

describe('npm test', () => {
  let folder = ''
  let ended: Awaited<ReturnType<typeof run>>

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-runner-'))
    const limits = { TEST_FILE_LIMIT_SECONDS: '2', PORT_FILE: join(folder, 'port') }
    ended = await run([fixture('hangs'), fixture('skips')], { CI: 'true', ...limits })
  })

  after(() => rm(folder, { recursive: true, force: true }))

  it('ends a file at its limit with all that it started, and names it and the test that was running', async () => {
    const port = await readFile(join(folder, 'port'), 'utf8')

    assert.match(ended.out, /hangs\.ts reached its limit of 2 s and was ended; not finished: waits for ever/)
    await assert.rejects(fetch(`http://127.0.0.1:${port}`))
  })

  it('says in one line each what ran, and what was skipped and why', () => {
    const lines = ended.out.split('\n')

    for (const engine of ['SQLite', 'PostgreSQL']) {
      assert.ok(lines.includes(`Ran on ${engine}: 2 files, 6 tests`), ended.out)
      assert.deepEqual(
        lines.filter((line) => line.startsWith(`Skipped on ${engine}: `)),
        [
          'a part › is skipped (no lantern here)',
          'a part › skips itself (no owl here)',
          'a whole part (no gate here)',
        ].map((skipped) => `Skipped on ${engine}: ${fixture('skips')} › ${skipped}`),
      )
    }
  })

  it('closes as node’s own runner does, for both engines together, and shows the failures last', () => {
    const [before = '', after = ''] = ended.out.split(/^ℹ duration_ms .*$/m)

    assert.match(
      before,
      /\nℹ tests 12\nℹ suites 4\nℹ pass 4\nℹ fail 2\nℹ cancelled 2\nℹ skipped 4\nℹ todo 0\n$/,
    )
    assert.match(after, /failing tests:/)
    assert.match(after, /✖ fails/)
  })

  it('fails if a test failed, and in CI if one was skipped', () => {
    assert.equal(ended.code, 1)
    assert.match(ended.err, /npm test: 4 tests failed/)
    assert.match(ended.err, /npm test: 6 skipped, and CI is set: nothing may be skipped there/)
  })

  it('fails if there is nothing to run', async () => {
    const { code, err } = await run(['test/nowhere/*.test.ts'])

    assert.equal(code, 1)
    assert.match(err, /^\nnpm test: no file matches test\/nowhere\/\*\.test\.ts\n$/)
  })
})
