import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { decodeProtectedHeader } from 'jose'
import { describe } from 'vitest'
import { freePort } from '../processes/free-port.ts'
import { it } from '../processes/it.ts'
import { programPath } from '../processes/program.ts'

describe('80. a data folder that was there with mode 0755', () => {
  it('checklist 80: is closed, and so is every file that the service makes in it', async ({ program }) => {
    chmodSync(program.dataDir, 0o755)

    await program.serve()

    const entries = readdirSync(program.dataDir, { withFileTypes: true })
    assert.ok(entries.some(({ name }) => name === 'meta.sqlite'))
    assert.equal(statSync(program.dataDir).mode & 0o777, 0o700)
    for (const entry of entries) {
      const { mode } = statSync(join(program.dataDir, entry.name))
      assert.equal(mode & 0o077, 0, entry.name)
    }
  })
})

describe('113. `gatehouse admin rotate-signing-keys`', () => {
  it('checklist 113: beside a serving process publishes new keys, and with --now signs with them at once', async ({
    program,
  }) => {
    const credentials = await program.prepare()
    const life = await program.serve()
    const administrator = await life.signedIn(credentials)
    const keys = async () => {
      const { body: signed } = await administrator.get('/api/auth/token')
      const { body: published } = await administrator.get('/api/oauth/jwks')
      const { kid } = decodeProtectedHeader(signed.token)
      return { signing: kid, published: published.keys.map((key: { kid: string }) => key.kid) }
    }

    const before = await keys()
    const announced = await program.run(['admin', 'rotate-signing-keys'])
    const soon = await keys()
    const replaced = await program.run(['admin', 'rotate-signing-keys', '--now'])
    const after = await keys()

    assert.deepEqual([announced.code, replaced.code], [0, 0])
    assert.match(announced.stdout, /published, and sign tokens within a day/)
    assert.equal(soon.signing, before.signing)
    assert.ok(soon.published.length > before.published.length)
    assert.match(replaced.stdout, /former ones are withdrawn/)
    assert.ok(after.published.includes(after.signing))
    for (const former of before.published) assert.ok(!after.published.includes(former))
  })
})

describe('`gatehouse backup`', () => {
  it('goes through a pipe into `restore`, and the serving process tells when the last one succeeded', async ({
    program,
    elsewhere,
  }) => {
    const credentials = await program.prepare()
    const life = await program.serve()
    const lastAt = async () => {
      const text = await (await life.request('/metrics')).text()
      return Number(/^gatehouse_backup_last_success_timestamp_seconds (\d+)$/m.exec(text)?.[1])
    }
    const before = await lastAt()
    const began = Math.floor(Date.now() / 1000)

    const [backup, restore] = [program.start(['backup', '-']), elsewhere.start(['restore', '-'])]
    await pipeline(backup.stdout ?? assert.fail(), restore.stdin ?? assert.fail())
    const [[code]] = await Promise.all([once(restore, 'exit'), once(backup, 'exit')])
    const piped = await lastAt()
    program.alter('meta', `delete from instance where name = 'backup-completed-at'`)
    const recorded = await program.run(['backup', '--record'])
    copyFileSync(join(program.dataDir, 'secrets.json'), join(elsewhere.dataDir, 'secrets.json'))
    const restored = await elsewhere.serve()

    assert.deepEqual([before, code, recorded.code], [0, 0, 0], recorded.stderr)
    assert.ok(piped >= began && (await lastAt()) >= piped)
    assert.ok(await restored.signedIn(credentials))
  })

  it('is refused where its archive would go nowhere, as into a standard output that is closed', async ({ program }) => {
    await program.prepare()
    const life = await program.serve()

    const { stdout } = spawnSync('sh', ['-c', '"$0" backup - 2>&1 >&-', programPath], {
      env: { PATH: process.env.PATH, DATA_DIR: program.dataDir },
      encoding: 'utf8',
    })

    assert.match(stdout, /the archive would go nowhere; name a file/)
    const metrics = await (await life.request('/metrics')).text()
    assert.match(metrics, /^gatehouse_backup_last_success_timestamp_seconds 0$/m)
  })

  it('is refused in DATA_DIR, where it would be lost with the data', async ({ program }) => {
    await program.prepare()

    const { code, stderr } = await program.run(['backup', join(program.dataDir, 'backup.tar.gz')])

    assert.equal(code, 1)
    assert.match(stderr, /^gatehouse: \S+ is in DATA_DIR and would be lost with it; choose a file in another place\n$/)
  })
})

describe('/metrics', () => {
  it('counts requests by route, and shows the queues and the stores', async ({ program }) => {
    const port = await freePort()
    const { url } = await program.serve({ METRICS_PORT: String(port) })
    await fetch(`${url}/api/auth/get-session`)

    const text = await (await fetch(`http://localhost:${port}/metrics`)).text()

    for (const figure of [
      /gatehouse_request_seconds_count\{route="\/api\/auth\/get-session",method="GET",status="200"\} 1/,
      /gatehouse_hash_queue 0/,
      /gatehouse_mail_waiting 0/,
      /gatehouse_disk_free_bytes\{store="apac-1"\} [1-9]/,
      /gatehouse_store_seconds_count\{store="meta"\} \d+/,
      /process_resident_memory_bytes/,
    ])
      assert.match(text, figure)
  })
})
