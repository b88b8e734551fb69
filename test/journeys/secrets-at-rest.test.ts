import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Life } from '../processes/installation.ts'
import { it } from '../processes/it.ts'
import { startSmtpServer } from '../processes/smtp-server.ts'
import { begin, consent, land } from '../providers/journey.ts'
import { startPlainProvider } from '../providers/plain-provider.ts'
import {
  approvedCode,
  decideDevice,
  poll,
  redeem,
  refreshWith,
  revoke,
  startDevice,
} from '../service/grants.ts'
import { Person } from '../service/people.ts'

/** Every usable secret, by its kind. */
class Secrets {
  readonly #known = new Map<string, string>()

  keep(what: string, secret: string | null | undefined): string {
    if (!secret) throw new Error(`there is no ${what}`)
    this.#known.set(what, secret)
    return secret
  }

  /** The secrets that these bytes contain, as they are or in a common encoding. */
  foundIn(bytes: Buffer): string[] {
    return [...this.#known]
      .filter(([, secret]) => dresses(secret).some((dress) => bytes.includes(dress)))
      .map(([what]) => what)
  }

  get count(): number {
    return this.#known.size
  }
}

function dresses(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  const base64 = bytes.toString('base64').replace(/=+$/, '')
  return [secret, encodeURIComponent(secret), bytes.toString('hex'), base64]
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

it('64. after a full journey no password, token, code or key is in the database, the log, a backup or the audit log', async ({
  program,
}) => {
  const secrets = new Secrets()
  await using forum = await startPlainProvider('community', { '/api/user': { id: 42, username: 'ann' } })
  await using smtp = await startSmtpServer()
  const prepared = await program.run(['prepare'])
  const password = secrets.keep('printed password', /Password: (\S+)/.exec(prepared.stdout)?.[1])
  const life = await program.serve({ COMMUNITY_AUTH_URL: forum.url, SMTP_URL: smtp.url, LOG_LEVEL: 'debug' })
  const administrator = new Person(life, 'admin@example.com', password)
  const ann = new Person(life, 'ann@example.com', secrets.keep('password', 'a long walk in the rain'))
  await administrator.signIn()
  secrets.keep('session of the administrator', administrator.token)

  await configure(administrator, secrets)
  await manageAccount(ann, smtp, secrets)
  await connectClients(ann, secrets)
  await signInAtProvider(life, ann, secrets)

  const backup = join(program.dataDir, 'backup.tar.gz')
  const backedUp = await program.run(['backup', backup])
  assert.equal(backedUp.code, 0, backedUp.stderr)
  const { stdout, stderr } = await life.end()
  const keys = JSON.parse(readFileSync(join(program.dataDir, 'secrets.json'), 'utf8'))
  for (const value of Object.values(keys)) secrets.keep(`key ${String(value).slice(0, 4)}…`, String(value))
  assert.ok(secrets.count > 25, `only ${secrets.count} secrets were used`)
  assert.match(stderr, /"level":"debug"/)
  assert.deepEqual(secrets.foundIn(Buffer.from(stdout + stderr)), [], 'in the log')
  assert.deepEqual(secrets.foundIn(gunzipSync(readFileSync(backup))), [], 'in the backup')
  for (const file of filesIn(program.dataDir).filter((name) => !name.endsWith('secrets.json'))) {
    assert.deepEqual(secrets.foundIn(readFileSync(file)), [], `in ${file}`)
  }
})

async function configure(administrator: Person, secrets: Secrets): Promise<void> {
  const secret = (what: string, value: string) => ({ action: 'replace', value: secrets.keep(what, value) })
  const email = await administrator.post('/api/admin/update_email_config', {
    expected_version: 1,
    provider: 'smtp',
    api_key: secret('key of the email API', 're_not_in_clear_123'),
  })
  const authentication = await administrator.post('/api/admin/update_authentication_config', {
    expected_version: 1,
    email_verification_required: true,
    email_user_action_cooldown_seconds: 0,
    community_enabled: true,
    community_client_id: 'the-client',
    community_client_secret: secret('client secret of the provider', 'the-secret'),
    provider_a_client_secret: secret('client secret of another', 'GOCSPX-not-in-clear'),
  })
  const ai = await administrator.post('/api/admin/update_ai_config', {
    expected_version: 1,
    api_key: secret('key of the AI', 'sk-not-in-clear-456'),
  })
  assert.deepEqual([authentication.status, email.status, ai.status], [200, 200, 200])
}

/** Sign-up, code, wrong password, reset by code, change, several sessions. */
async function manageAccount(
  ann: Person,
  smtp: Awaited<ReturnType<typeof startSmtpServer>>,
  secrets: Secrets,
): Promise<void> {
  const { email } = ann
  const askForCode = async (what: string, path: string, body: object): Promise<string> => {
    const letter = smtp.nextMessage()
    const { status } = await ann.post(path, body)
    assert.equal(status, 200, path)
    return secrets.keep(what, /^\s+(\d{6})\s*$/m.exec(await letter)?.[1])
  }
  await ann.post('/api/auth/sign-up/email', { email, password: ann.password, name: email })
  const otp = await askForCode('code of verification', '/api/auth/email-otp/send-verification-otp', {
    email,
    type: 'email-verification',
  })
  const verified = await ann.post('/api/auth/email-otp/verify-email', { email, otp })
  assert.equal(verified.status, 200)
  const mistyped = secrets.keep('mistyped password', 'a long walk in the rian')
  await ann.post('/api/auth/sign-in/email', { email, password: mistyped })

  const reset = await askForCode('code of reset', '/api/auth/email-otp/request-password-reset', { email })
  const second = secrets.keep('second password', 'seven boats on a lake')
  await ann.post('/api/auth/email-otp/reset-password', { email, otp: reset, password: second })
  const third = secrets.keep('third password', 'an owl under the roof')
  const signedIn = await ann.post('/api/auth/sign-in/email', { email, password: second })
  secrets.keep('first session', signedIn.body.token)
  const changed = await ann.post('/api/auth/change-password', { currentPassword: second, newPassword: third })
  assert.equal(changed.status, 200)
  const again = await ann.post('/api/auth/sign-in/email', { email, password: third })
  secrets.keep('second session', again.body.token)
}

async function connectClients(ann: Person, secrets: Secrets): Promise<void> {
  const { verifier, code } = await approvedCode(ann, ['account:profile:read'])
  secrets.keep('PKCE verifier of the client', verifier)
  const { body } = await redeem(ann, secrets.keep('authorization code', code), verifier)
  secrets.keep('access token', body.access_token)
  const refreshed = await refreshWith(ann, secrets.keep('refresh token', body.refresh_token))
  secrets.keep('second access token', refreshed.body.access_token)
  secrets.keep('second refresh token', refreshed.body.refresh_token)

  const device = await startDevice(ann, 'account:profile:read')
  const deviceCode = secrets.keep('device code', device.body.device_code)
  await decideDevice(ann, device.body.user_code, true)
  const polled = await poll(ann, deviceCode)
  secrets.keep('access token of the device', polled.body.access_token)
  await revoke(ann, secrets.keep('refresh token of the device', polled.body.refresh_token))
}

async function signInAtProvider(life: Life, ann: Person, secrets: Secrets): Promise<void> {
  const visitor = new Person(life, 'nobody@example.com', 'none')
  const callback = await consent(await begin(visitor, 'community'))
  const answer = new URL(callback, 'http://localhost').searchParams
  secrets.keep('state', answer.get('state'))
  secrets.keep('code of the provider', answer.get('code'))
  secrets.keep('cookie of the flow', visitor.cookies.get('provider_flow'))
  assert.equal(await land(visitor, callback), '/')
  secrets.keep('session by the provider', visitor.cookies.get('session'))
  const abandoned = await begin(ann, 'community')
  secrets.keep('state of a flow that stays open', abandoned.searchParams.get('state'))
}
