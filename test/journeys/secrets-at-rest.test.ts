import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe } from 'vitest'
import type { Env, Installation, Life } from '../processes/installation.ts'
import { ENGINES, it } from '../processes/it.ts'
import { startSmtpServer, type TestSmtpServer } from '../processes/smtp-server.ts'
import { startOpenIdProvider } from '../providers/openid-provider.ts'
import { startPlainProvider } from '../providers/plain-provider.ts'
import { walkByAdministrator } from '../secrets/by-administrator.ts'
import { walkByEverybody } from '../secrets/by-everybody.ts'
import { KnownSecrets } from '../secrets/known-secrets.ts'
import { Recorder } from '../secrets/recorder.ts'
import { columnsWith } from '../secrets/stores.ts'
import { toolOf } from '../secrets/tool.ts'
import type { World } from '../secrets/world.ts'
import { Person } from '../service/people.ts'

describe.for(ENGINES)('on %s', (engine) => {
  it('64. after a full journey no password, token, code or key is in the database, the log, a backup or the audit log', async ({
    program,
    places,
  }) => {
    await using smtp = await startSmtpServer()
    await using openId = await startOpenIdProvider()
    await using forum = await startPlainProvider('community', { '/api/user': { id: 42, username: 'ann' } })
    const env = {
      ...(await places.on(engine, 'apac-1', 'weur-1', 'oc-1')),
      ...{ PROVIDER_A: openId.preset, PROVIDER_B: openId.preset, COMMUNITY_AUTH_URL: forum.url },
      ...{ SMTP_URL: smtp.url, LOG_LEVEL: 'debug', TRUSTED_PROXIES: '127.0.0.0/8' },
    }
    const { email, password } = await program.prepare(env)
    const life = await program.serve(env)
    const secrets = new KnownSecrets()
    const world = worldOf(life, smtp, secrets, { email, password })
    await world.administrator.signIn()

    await walkByEverybody(world)
    await walkByAdministrator(world, session(world))
    await walkByAdministrator(world, await toolOf(world))

    const archive = engine === 'SQLite' ? await backedUp(program) : undefined
    assert.deepEqual(inFiles(program, secrets), [], 'while it runs')
    const { stdout, stderr } = await life.end()
    const exported = await program.run(['export', '-'], env)
    const keys = JSON.parse(readFileSync(join(program.dataDir, 'secrets.json'), 'utf8'))
    for (const value of Object.values(keys)) secrets.keep(`key ${String(value).slice(0, 4)}…`, String(value))
    assert.ok(secrets.count > 150, `only ${secrets.count} secrets were used`)
    assert.match(stderr, /"level":"debug"/)
    assert.deepEqual(secrets.foundIn(Buffer.from(stdout + stderr)), [], 'in the log')
    assert.equal(exported.code, 0, exported.stderr)
    assert.deepEqual(secrets.foundIn(Buffer.from(exported.stdout)), [], 'in an export')
    if (archive) assert.deepEqual(secrets.foundIn(archive), [], 'in the backup')
    assert.deepEqual(inFiles(program, secrets), [], 'when it has stopped')
    assert.deepEqual(await inStores(program, env, secrets), [])
  })
})

async function inStores(program: Installation, env: Env, secrets: KnownSecrets) {
  await using stores = await program.openStores(env)
  return await columnsWith(stores, secrets)
}

async function backedUp(program: Installation): Promise<Buffer> {
  const file = `${program.dataDir}.tar.gz`
  const { code, stderr } = await program.run(['backup', file])
  assert.equal(code, 0, stderr)
  return gunzipSync(readFileSync(file))
}

/** Databases and their logs, and whatever else is in the data folder. */
function inFiles({ dataDir }: Installation, secrets: KnownSecrets): readonly string[] {
  return readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'secrets.json')
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((file) => secrets.foundIn(readFileSync(file)).map((what) => `${file} has ${what}`))
}

function session({ administrator }: World) {
  return {
    name: 'session' as const,
    post: administrator.post.bind(administrator),
    get: administrator.get.bind(administrator),
  }
}

function worldOf(
  life: Life,
  smtp: TestSmtpServer,
  secrets: KnownSecrets,
  { email, password }: { readonly email: string; readonly password: string },
): World {
  const recorder = new Recorder(life, secrets)
  const read = new Set<string>()
  const found = async (what: string, address: string, pattern: RegExp) => {
    const secret = await inLetterTo(smtp, address, pattern, read)
    read.add(secret)
    return secrets.keep(what, secret)
  }
  return {
    recorder,
    secrets,
    administrator: new Person(recorder, email, secrets.keep('printed password', password)),
    origin: life.url,
    now: Date.now,
    codeFor: (address) => found('mailed code', address, /^\s+(\d{6})\s*$/m),
    linkFor: (address) => found('mailed link', address, /\blink=(ghl_[\w-]+)/),
    ownersTokenFor: (address) => found('token of the owner', address, /\/secure#(\S+)/),
    unsubscriptionFor: async (address) => {
      const url = await found('link to unsubscribe', address, /^List-Unsubscribe: <([^>]+)>/im)
      return url.slice(new URL(url).origin.length)
    },
    look: async () => undefined,
  }
}

/** Waits for a letter that has it and was not read before, and reads the newest. */
async function inLetterTo(
  smtp: TestSmtpServer,
  address: string,
  pattern: RegExp,
  read: ReadonlySet<string>,
): Promise<string> {
  let found: string | undefined
  while (found === undefined) {
    const arrival = smtp.nextMessage()
    const letters = smtp.messages.map(decoded).filter((letter) => letter.includes(`To: ${address}`))
    found = letters.flatMap((letter) => pattern.exec(letter)?.[1] ?? []).findLast((one) => !read.has(one))
    if (found === undefined) await arrival
  }
  return found
}

/** Folded header lines and quoted-printable, as far as codes and links need it. */
function decoded(message: string): string {
  const joined = message.replace(/=\r?\n/g, '').replace(/\r?\n[ \t](?=<http)/g, ' ')
  return joined.replace(/=([0-9A-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
}
