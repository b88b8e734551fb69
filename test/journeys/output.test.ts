import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { freePort } from '../processes/free-port.ts'
import { type Env, type Finished, Installation } from '../processes/installation.ts'
import { it } from '../processes/it.ts'
import { type PeerServer, startPeer } from '../processes/peer-server.ts'
import { programPath } from '../processes/program.ts'
import { plainOf } from '../processes/terminal/plain-text.ts'

const FULL = '/dev/full'
const FULL_WORDS = "gatehouse: standard output can't be written (no space left on device)\n"
const hasFull = existsSync(FULL)

type Where = 'full' | 'closed' | 'read'

interface Situation {
  readonly stdout?: Where
  readonly stderr?: Where
  readonly env: Env
}

/** Every command that prints, with what it leaves undone if nobody can read it. */
const PRINTING = [
  ...['--help', '--version', 'serve --help', 'doctor', 'doctor --json', 'export -'],
  ...['shards list', 'shards list --json', 'admin reset-factors', 'scopes', 'scopes --json'],
  ...['completion bash', 'status --json', 'request prod POST /api/list_notifications'],
]

describe('a command whose standard output', () => {
  const installation = new Installation()
  const env = { DATA_DIR: installation.dataDir, GATEHOUSE_CONFIG_DIR: join(installation.dataDir, 'client') }
  let peer: PeerServer
  beforeAll(async () => {
    peer = await startPeer()
    await installation.prepare(env)
    const scope = 'operations:notifications:read'
    const connected = await installation.run(['connect', 'prod', peer.url, scope], env)
    assert.equal(connected.code, 0, connected.stderr)
  })
  afterAll(async () => {
    await installation[Symbol.asyncDispose]()
    await peer[Symbol.asyncDispose]()
  })

  describe.skipIf(!hasFull)(`is a full disk (needs ${FULL})`, () => {
    it.for(PRINTING)('is reported in one line: %s', async (words) => {
      const { code, stderr } = await run(words, { stdout: 'full', env })

      assert.equal(code, 1)
      assert.ok(stderr.endsWith(FULL_WORDS), stderr)
      assert.doesNotMatch(stderr, /^ {4}at /m)
    })

    it.for(PRINTING)('is standard error, prints all to one that is read: %s', async (words) => {
      const { code, stdout } = await run(words, { stderr: 'full', env })

      assert.equal(code, 0)
      assert.ok(stdout.length > 0)
    })

    it('does its work, and says what it did not print: backup', async () => {
      const file = `${installation.dataDir}.tar.gz`

      const { code, stderr } = await run(`backup ${file}`, { stdout: 'full', env })

      assert.equal(code, 1)
      assert.ok(stderr.endsWith(FULL_WORDS), stderr)
      assert.ok(existsSync(file))
    })
  })

  it.for(PRINTING)('nobody reads any more ends without a word: %s', async (words) => {
    const { code, stderr } = await run(words, { stdout: 'closed', env })

    // An export that was not read to its end is not an export.
    const expected = words.startsWith('export') ? 1 : 0
    assert.deepEqual([code, stderr.replace(/^The file contains password hashes.*\n/, '')], [expected, ''])
  })
})

describe('the first password that cannot be printed', () => {
  for (const stdout of ['full', 'closed'] as const) {
    const needed = stdout === 'full' ? ` (needs ${FULL})` : ''
    it.skipIf(needed && !hasFull)(
      `${stdout}: prepare says how to get another, which works${needed}`,
      async ({ program }) => {
        const env = { DATA_DIR: program.dataDir }

        const { code, stderr } = await run('prepare', { stdout, env })
        const again = await run('admin reset-password', { stdout, env })
        const another = await run('admin reset-password', { env })

        for (const said of [stderr, again.stderr])
          assert.match(
            said,
            /^gatehouse: the password of admin@example\.com was not shown: .*; `gatehouse admin reset-password` makes a new one\n$/,
          )
        assert.deepEqual([code, again.code, another.code], [1, 1, 0])
        assert.match(another.stdout, /^Administrator: admin@example\.com\nPassword: \S{20,}\n$/)
      },
    )

    it.skipIf(needed && !hasFull)(`${stdout}: serve says it too, and serves${needed}`, async ({ program }) => {
      const { ready, code, stderr } = await served(program, { stdout })

      assert.deepEqual([ready, code], [200, 0])
      assert.match(stderr, /^gatehouse: the password .* `gatehouse admin reset-password` makes a new one\n/)
    })
  }
})

it.skipIf(!hasFull)(
  `a server whose log is on a full disk serves, and ends as it should (needs ${FULL})`,
  async ({ program }) => {
    const { ready, code, stdout } = await served(program, { stderr: 'full' })

    assert.deepEqual([ready, code], [200, 0])
    assert.match(stdout, /^Password: \S{20,}$/m)
  },
)

async function served({ dataDir }: Installation, streams: Omit<Situation, 'env'>) {
  const port = String(await freePort())
  const env = { DATA_DIR: dataDir, PORT: port, HOST: '127.0.0.1' }
  const { child, ended } = start('serve', { ...streams, env })
  const ready = await untilReady(child, `http://127.0.0.1:${port}/readyz`)
  child.kill('SIGTERM')
  return { ready, ...(await ended) }
}

function run(words: string, situation: Situation): Promise<Finished> {
  return start(words, situation).ended
}

function start(words: string, { stdout = 'read', stderr = 'read', env }: Situation) {
  const streams = [stdout, stderr].map(streamFor)
  const child = spawn(programPath, words.split(' '), {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', streams[0], streams[1]],
  })
  for (const stream of streams) if (typeof stream === 'number') closeSync(stream)
  return { child, ended: endedOf(child) }
}

function streamFor(where: Where): number | 'pipe' {
  if (where === 'full') return openSync(FULL, 'w')
  return where === 'closed' ? pipeWithoutReader() : 'pipe'
}

/** The reader is gone before the command begins. */
function pipeWithoutReader(): number {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pipe-'))
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(path, 'w')
  closeSync(reader)
  rmSync(folder, { recursive: true })
  return writer
}

/** The standard error without lines of the log. */
async function endedOf(child: ChildProcess): Promise<Finished> {
  let [out, err] = ['', '']
  child.stdout?.on('data', (data) => {
    out += data
  })
  child.stderr?.on('data', (data) => {
    err += data
  })
  const [code] = await once(child, 'close')
  return { code, stdout: out, stderr: plainOf(err) }
}

/** The status of its answer, or why it ended before it answered. */
async function untilReady(child: ChildProcess, url: string): Promise<number | string> {
  while (child.exitCode === null && child.signalCode === null) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return answer.status
  }
  return `it ended with ${child.exitCode ?? child.signalCode}`
}
