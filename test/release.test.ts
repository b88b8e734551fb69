import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hashSync } from 'bcryptjs'
import { beforeAll, describe, it } from 'vitest'
import { Installation } from './processes/installation.ts'
import { Person } from './service/people.ts'
import { pngOf } from './service/pictures.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const release = join(root, 'release')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
/** Nothing is found on this path, not even Node. */
const env = { PATH: '/nowhere' }

/** `npm run release` itself refuses a file above 140 MB. */
describe('the executable file that npm run release makes', () => {
  const platform = `${process.platform}-${process.arch}`
  const executable = () => new Installation(join(release, `gatehouse-${platform}`))
  beforeAll(() => {
    execFileSync(process.execPath, [join(root, 'scripts/release/release.ts'), platform], { stdio: 'pipe' })
  })

  it('has its commands, the documents’ names and jq', async () => {
    await using program = executable()

    const [shown, help] = await Promise.all([program.run(['--version'], env), program.run(['serve', '--help'], env)])
    await program.prepare(env)
    const { url } = await program.serve(env)
    const asked = await program.run(['request', 'here', 'GET', '/api/health', '--jq', '.version'], {
      ...env,
      GATEHOUSE_CONFIG_DIR: join(program.dataDir, 'client'),
      GATEHOUSE_TOKEN: 'any',
      GATEHOUSE_SERVER: url,
    })

    assert.equal(shown.stdout, `gatehouse ${version}\n`)
    assert.match(help.stdout, /docs\/operations\.md/)
    assert.deepEqual([asked.stdout, asked.stderr], [`${version}\n`, ''])
  })

  it('serves pages, checks passwords of others, judges pictures and reads in a process of its own', async () => {
    await using program = executable()
    const users = join(program.dataDir, 'users.jsonl')
    const ben = { email: 'ben@example.com', password: 'a walk along the river' }
    writeFileSync(users, JSON.stringify({ email: ben.email, password_hash: hashSync(ben.password, 4) }))
    const credentials = await program.prepare(env)
    const imported = await program.run(['import', '--from', 'users', users], env)

    const life = await program.serve(env)
    const page = await (await life.request('/')).text()
    const [, script = ''] = /src="([^"]+\.js)"/.exec(page) ?? []
    const shown = await life.request(script)
    await life.signedIn(ben)
    const common = await new Person(life, 'ann@example.com', 'password1').signUp()
    const administrator = await life.signedIn(credentials)
    const logo = { action: 'replace', value: pngOf(4, 4).toString('base64') }
    await administrator.saveSettings('brand', { logo })
    const shards = await administrator.post('/api/admin/list_shards')
    const { code, stderr } = await life.end()

    assert.equal(imported.code, 0, imported.stderr)
    assert.match(shown.headers.get('content-type') ?? '', /^text\/javascript/)
    assert.equal(common.body.code, 'PASSWORD_COMPROMISED')
    assert.equal(shards.status, 200)
    assert.deepEqual([code, /Warning|"level":"error"/.test(stderr)], [0, false], stderr)
  })

  it('backs up, and restores elsewhere', async () => {
    await using program = executable()
    await using elsewhere = executable()
    const archive = `${program.dataDir}.tar.gz`
    await program.prepare(env)
    const secrets = readFileSync(join(program.dataDir, 'secrets.json'))
    writeFileSync(join(elsewhere.dataDir, 'secrets.json'), secrets, { mode: 0o600 })

    const backedUp = await program.run(['backup', archive], env)
    const restored = await elsewhere.run(['restore', archive], env)

    assert.deepEqual([backedUp.code, restored.code], [0, 0], restored.stderr)
  })

  it('has checksums and a bill of materials beside it', () => {
    const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: release, encoding: 'utf8' })
    const bill = JSON.parse(readFileSync(join(release, `gatehouse-${version}.cdx.json`), 'utf8'))
    const names = new Set<string>(bill.components.map(({ name }: { name: string }) => name))

    assert.match(checked, new RegExp(`^gatehouse-${platform}: OK$`, 'm'))
    for (const name of [`node-${platform}`, 'hono', 'kysely', 'react-dom', 'jq-wasm']) assert.ok(names.has(name), name)
    assert.ok(!names.has('vitest'))
  })
})
