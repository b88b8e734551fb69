import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from './processes/free-port.ts'
import { lineWith } from './processes/line-with.ts'

const run = promisify(execFile)
/** The package runs on the Node that it finds first: this one, whatever the machine has. */
const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
const repository = fileURLToPath(new URL('..', import.meta.url))

describe('the package that npm pack makes, installed in an empty folder', { timeout: 120_000 }, () => {
  let folder = ''
  let gatehouse = ''

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-package-'))
    gatehouse = join(folder, 'node_modules/.bin/gatehouse')
    await run('npm', ['pack', '--pack-destination', folder], { cwd: repository })
    const [archive = ''] = await readdir(folder)
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, archive)], {
      cwd: folder,
    })
  })

  after(() => rm(folder, { recursive: true, force: true }))

  it('needs no other package', async () => {
    const installed = await readdir(join(folder, 'node_modules'))

    assert.deepEqual(
      installed.filter((name) => !name.startsWith('.')),
      ['gatehouse'],
    )
  })

  it('has every command', async () => {
    const { stdout } = await run(gatehouse, ['--help'], { cwd: folder, env: { PATH } })

    for (const command of ['serve', 'prepare', 'backup', 'connect', 'request', 'completion']) {
      assert.match(stdout, new RegExp(`^  ${command} `, 'm'))
    }
  })

  it('serves the pages and the API, and its own client talks to it', async () => {
    const port = await freePort()
    const server = `http://localhost:${port}`
    const env = {
      PATH,
      HOME: folder,
      PORT: String(port),
      GATEHOUSE_CONFIG_DIR: join(folder, 'config'),
    }
    const serving = spawn(gatehouse, ['serve'], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
    const ended = once(serving, 'close')
    try {
      await lineWith('is ready', serving.stderr)
      const page = await fetch(`${server}/`)
      const health = await run(gatehouse, ['request', 'here', 'GET', '/api/health', '--jq', 'length'], {
        cwd: folder,
        env: { ...env, GATEHOUSE_TOKEN: 'any', GATEHOUSE_SERVER: server },
      })

      const doctor = await run(gatehouse, ['doctor'], {
        cwd: folder,
        env: { ...env, PORT: String(await freePort()) },
      })

      assert.match(doctor.stdout, /Nothing is wrong/)
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
      assert.equal(health.stdout, '1\n')
    } finally {
      serving.kill()
      await ended
    }
  })
})
