import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../processes/free-port.ts'
import { Installation } from '../processes/installation.ts'
import { type PeerServer, startPeer } from '../processes/peer-server.ts'
import { after, before, describe, it } from '../running/node-test.ts'
import { makePasswordsCheap } from '../service/fakes/cheap-passwords.ts'

const FULL = '/dev/full'
const FULL_WORDS = "gatehouse: standard output can't be written (no space left on device)\n"
const program = fileURLToPath(new URL('../../bin/gatehouse', import.meta.url))
const needsFull = { skip: existsSync(FULL) ? false : `there is no ${FULL}` }

type Where = 'full' | 'closed' | 'read'

interface Ended {
  readonly code: number | null
  readonly stdout: string
  /** Without lines of the log. */
  readonly stderr: string
}

interface Situation {
  readonly stdout?: Where
  readonly stderr?: Where
  readonly env: Readonly<Record<string, string>>
}

/** Every command that prints, with what it leaves undone if nobody can read it. */
const OPERATOR: readonly (readonly string[])[] = [
  ['--help'],
  ['--version'],
  ['serve', '--help'],
  ['doctor'],
  ['doctor', '--json'],
  ['export', '-'],
  ['shards', 'list'],
  ['shards', 'list', '--json'],
  ['admin', 'reset-factors'],
]
const CLIENT: readonly (readonly string[])[] = [
  ['scopes'],
  ['scopes', '--json'],
  ['completion', 'bash'],
  ['status', '--json'],
  ['request', 'prod', 'POST', '/api/list_notifications'],
]

describe('a command whose standard output', () => {
  const installation = new Installation()
  let peer: PeerServer
  let env: Readonly<Record<string, string>>
  before(async () => {
    peer = await startPeer()
    env = { DATA_DIR: installation.dataDir, GATEHOUSE_CONFIG_DIR: join(installation.dataDir, 'client') }
    await makePasswordsCheap(env)
    await installation.run(['prepare'], env)
    const connected = await installation.run(
      ['connect', 'prod', peer.url, 'operations:notifications:read'],
      env,
    )
    assert.equal(connected.code, 0, connected.stderr)
  })
  after(async () => {
    await installation[Symbol.asyncDispose]()
    await peer[Symbol.asyncDispose]()
  })

  for (const args of [...OPERATOR, ...CLIENT]) {
    it(`is a full disk is reported in one line: ${args.join(' ')}`, needsFull, async () => {
      const { code, stderr } = await run(args, { stdout: 'full', env })

      assert.equal(code, 1)
      assert.ok(stderr.endsWith(FULL_WORDS), stderr)
      assert.doesNotMatch(stderr, /^ {4}at /m)
    })

    it(`nobody reads any more ends without a word: ${args.join(' ')}`, async () => {
      const { code, stderr } = await run(args, { stdout: 'closed', env })

      assert.deepEqual(
        [code, stderr.replace(/^The file contains password hashes.*\n/, '')],
        [cutShort(args), ''],
      )
    })

    it(`is read, while standard error is a full disk, prints all: ${args.join(' ')}`, needsFull, async () => {
      const { code, stdout } = await run(args, { stderr: 'full', env })

      assert.equal(code, 0)
      assert.ok(stdout.length > 0)
    })
  }

  it('is a full disk does its work, and says what it did not print: backup', needsFull, async () => {
    const file = join(installation.dataDir, 'backup.tar.gz')

    const { code, stderr } = await run(['backup', file], { stdout: 'full', env })

    assert.equal(code, 1)
    assert.ok(stderr.endsWith(FULL_WORDS), stderr)
    assert.ok(existsSync(file))
  })
})

describe('the first password that cannot be printed', () => {
  for (const stdout of ['full', 'closed'] as const) {
    const options = stdout === 'full' ? needsFull : {}
    it(`(${stdout}): prepare says how to get another, which works`, options, async () => {
      await using installation = new Installation()
      const env = { DATA_DIR: installation.dataDir }

      const { code, stderr } = await run(['prepare'], { stdout, env })
      const again = await run(['admin', 'reset-password'], { stdout, env })
      const another = await run(['admin', 'reset-password'], { env })

      for (const said of [stderr, again.stderr])
        assert.match(
          said,
          /^gatehouse: the password of admin@example\.com was not shown: .*; `gatehouse admin reset-password` makes a new one\n$/,
        )
      assert.deepEqual([code, again.code, another.code], [1, 1, 0])
      assert.match(another.stdout, /^Administrator: admin@example\.com\nPassword: \S{20,}\n$/)
    })

    it(`(${stdout}): serve says it too, and serves`, options, async () => {
      await using installation = new Installation()
      const port = String(await freePort())
      const env = { DATA_DIR: installation.dataDir, PORT: port, HOST: '127.0.0.1' }

      const { child, ended } = start(['serve'], { stdout, env })
      const ready = await untilReady(child, `http://127.0.0.1:${port}/readyz`)
      child.kill('SIGTERM')
      const { code, stderr } = await ended

      assert.deepEqual([ready, code], [200, 0])
      assert.match(stderr, /^gatehouse: the password .* `gatehouse admin reset-password` makes a new one\n/)
    })
  }
})

it('a server whose log is on a full disk serves, and ends as it should', needsFull, async () => {
  await using installation = new Installation()
  const port = String(await freePort())
  const env = { DATA_DIR: installation.dataDir, PORT: port, HOST: '127.0.0.1' }

  const { child, ended } = start(['serve'], { stderr: 'full', env })
  const ready = await untilReady(child, `http://127.0.0.1:${port}/readyz`)
  child.kill('SIGTERM')
  const { code, stdout } = await ended

  assert.deepEqual([ready, code], [200, 0])
  assert.match(stdout, /^Password: \S{20,}$/m)
})

/** An export that was not read to its end is not an export. */
function cutShort([name]: readonly string[]): number {
  return name === 'export' ? 1 : 0
}

function run(args: readonly string[], situation: Situation): Promise<Ended> {
  return start(args, situation).ended
}

function start(args: readonly string[], { stdout = 'read', stderr = 'read', env }: Situation) {
  const streams = [stdout, stderr].map(streamFor)
  const child = spawn(program, args, {
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

/** Its reader is gone before the command begins. */
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

async function endedOf(child: ChildProcess): Promise<Ended> {
  let [out, err] = ['', '']
  child.stdout?.on('data', (data) => {
    out += data
  })
  child.stderr?.on('data', (data) => {
    err += data
  })
  const [code] = await once(child, 'close')
  return { code, stdout: out, stderr: err.replace(/^\{.*\}\n/gm, '') }
}

/** The status of its answer, or why it ended before it answered. */
async function untilReady(child: ChildProcess, url: string): Promise<number | string> {
  while (child.exitCode === null && child.signalCode === null) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return answer.status
  }
  return `it ended with ${child.exitCode ?? child.signalCode}`
}
