import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const runner = fileURLToPath(new URL('../run.ts', import.meta.url))
const fixture = (name: string) => `test/runner/fixtures/${name}.ts`

/** A program, with this environment beside its own. */
async function start(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { NODE_TEST_CONTEXT: _, CI: __, FORCE_COLOR: ___, ...own } = process.env
  const child = spawn(process.execPath, argv, { env: { ...own, ...env } })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { out, err, code }
}

/** As `npm test -- FILE…` runs it. */
const run = (files: readonly string[], env?: Readonly<Record<string, string>>) =>
  start([runner, ...files], env)

describe('a test file at its limit', () => {
  it('is ended with all that it started, and named with the test that was running', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-runner-'))
    const PORT_FILE = join(folder, 'port')

    const { out } = await start([fixture('limited'), fixture('hangs'), 'waits for ever'], { PORT_FILE })
    await unreachable(Number(await readFile(PORT_FILE, 'utf8')))

    assert.match(out, /hangs\.ts reached its limit of 600 s and was ended; not finished: waits for ever/)
    await rm(folder, { recursive: true })
  })

  it('fails the run, with the limit that its environment names', async () => {
    const { out, err, code } = await run([fixture('hangs')], { TEST_FILE_LIMIT_SECONDS: '1' })

    assert.match(out, /hangs\.ts reached its limit of 1 s and was ended/)
    assert.match(err, /npm test: \d+ tests failed/)
    assert.equal(code, 1)
  })
})

describe('npm test', () => {
  let ended: Awaited<ReturnType<typeof run>>

  before(async () => {
    ended = await run([fixture('skips'), fixture('passes')], { CI: 'true' })
  })

  it('says in one line each what ran, and what was skipped and why', () => {
    const lines = ended.out.split('\n')

    for (const engine of ['SQLite', 'PostgreSQL']) {
      assert.ok(lines.includes(`Ran on ${engine}: 2 files, 5 tests`), ended.out)
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
      /\nℹ tests 10\nℹ suites 6\nℹ pass 4\nℹ fail 2\nℹ cancelled 0\nℹ skipped 4\nℹ todo 0\n$/,
    )
    assert.match(after, /failing tests:/)
    assert.match(after, /✖ fails/)
  })

  it('fails if a test failed, and in CI if one was skipped', () => {
    assert.equal(ended.code, 1)
    assert.match(ended.err, /npm test: 2 tests failed/)
    assert.match(ended.err, /npm test: 6 skipped, and CI is set: nothing may be skipped there/)
  })

  it('fails if there is nothing to run', async () => {
    const { code, err } = await run(['test/nowhere/*.test.ts'])

    assert.equal(code, 1)
    assert.match(err, /^\nnpm test: no file matches test\/nowhere\/\*\.test\.ts\n$/)
  })
})

/** What was killed is gone once the system has run it a last time. */
async function unreachable(port: number): Promise<void> {
  const isReached = () =>
    fetch(`http://127.0.0.1:${port}`).then(
      () => true,
      () => false,
    )
  while (await isReached());
}
