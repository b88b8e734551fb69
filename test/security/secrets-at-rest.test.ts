import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { routes } from '../../src/app.ts'
import { describeRoutes } from '../../src/http/documentation/openapi.ts'
import { exportAll } from '../../src/operator/transfer/export.ts'
import { it as withProviders } from '../providers/it.ts'
import { walkByAdministrator } from '../secrets/by-administrator.ts'
import { walkByEverybody } from '../secrets/by-everybody.ts'
import { KnownSecrets } from '../secrets/known-secrets.ts'
import { ASKED_BY_TOOLS, Recorder, ROUTE_NAMES, SECRET_NAMES } from '../secrets/recorder.ts'
import { columnsWith, contentsOf } from '../secrets/stores.ts'
import { toolOf } from '../secrets/tool.ts'
import type { World } from '../secrets/world.ts'
import { Person } from '../service/people.ts'

/** The reasons for which a walk cannot have these routes do their work. */
const NOT_WALKED: Readonly<Record<string, string>> = {
  'GET /api/oauth/client_logo': 'fetches a picture from another host',
  'GET /metrics': 'is off without a token in the deployment',
}

/** The reasons for which the administrator's tool does not have these done. */
const NOT_ASKED: Readonly<Record<string, string>> = {
  'POST /api/admin/delete_organization': 'needs a fresh session',
  'POST /api/bind_beta_code': 'the administrator needs no code',
  'GET /api/auth/token': 'is for grants with a scope of the product',
  'GET /api/auth/organization/get-active-member': 'needs a grant in an organisation',
  'GET /api/auth/organization/get-active-member-role': 'needs a grant in an organisation',
}

const it = withProviders.extend<{ readonly world: World }>({
  world: async ({ service }, use) => {
    const secrets = new KnownSecrets()
    const recorder = new Recorder(service, secrets)
    const { email, password } = service.administrator
    const administrator = new Person(recorder, email, password)
    await administrator.signIn()
    const { mail } = service
    const look = async (when: string, table?: string) =>
      assert.deepEqual(await columnsWith(service.platform, secrets, table), [], when)
    /** Reading a letter sends it; before that, it waits in the store. */
    const lettered = async (what: string, read: () => Promise<string>) => {
      const waiting = await contentsOf(service.platform)
      const secret = secrets.keep(`mailed ${what}`, await read())
      assert.deepEqual(secrets.foundIn(waiting), [], `while a letter with a ${what} waits`)
      return secret
    }
    await use({
      recorder,
      secrets,
      administrator,
      origin: service.config.baseUrl,
      now: service.clock.now,
      codeFor: (address) => lettered('code', () => mail.codeFor(address)),
      linkFor: (address) => lettered('link', () => mail.linkFor(address)),
      ownersTokenFor: (address) =>
        lettered('token of the owner', async () => {
          const letters = await mail.sentTo(address)
          return /\/secure#(\S+)/.exec(letters.map(({ text }) => text).join('\n'))?.[1] ?? ''
        }),
      unsubscriptionFor: async (address) => {
        await service.runJob('announcements')
        await service.runJob('announcement-mail')
        const letters = await mail.sentTo(address)
        const { pathname, search } = new URL(letters.findLast(({ unsubscribe }) => unsubscribe)?.unsubscribe ?? '')
        return pathname + search
      },
      look,
    })
  },
})

describe('122. secrets', () => {
  it('checklist 122: of every route are in no column of any store, no log and no export', async ({
    service,
    world,
  }) => {
    const { recorder, secrets, administrator, look } = world

    await walkByEverybody(world)
    await service.runJob('events')
    await look('after what everybody does')
    const session = {
      name: 'session' as const,
      post: administrator.post.bind(administrator),
      get: administrator.get.bind(administrator),
    }
    await walkByAdministrator(world, session)
    await look('after what the administrator does')
    await walkByAdministrator(world, await toolOf(world))
    await look('after what a tool of the administrator does')

    const missed = ROUTE_NAMES.filter((name) => !recorder.served.has(name))
    assert.deepEqual(missed.toSorted(), Object.keys(NOT_WALKED).toSorted())
    const notAsked = ASKED_BY_TOOLS.filter((name) => !recorder.approved.has(name))
    assert.deepEqual(notAsked.toSorted(), Object.keys(NOT_ASKED).toSorted())
    assert.ok(secrets.count > 150, `only ${secrets.count} secrets were used`)
    const log = Buffer.from(JSON.stringify(service.log.lines))
    assert.deepEqual(secrets.foundIn(log), [], 'in the log')
    const lines: string[] = []
    for await (const line of exportAll(service.platform, 'without secrets', () => undefined))
      lines.push(JSON.stringify(line))
    assert.deepEqual(secrets.foundIn(Buffer.from(lines.join('\n'))), [], 'in an export')
  })

  it.for(ENCODINGS)('checklist 122: are found inside other text, %s', ([, encoded]) => {
    const secrets = new KnownSecrets()
    const secret = secrets.keep('secret', 'the "long" wälk + home/again')
    const digits = secrets.keep('digits', '203911')
    const text = (kept: string) => Buffer.from(`before ${encoded(`{"a":"${kept}"}`)} after`)

    assert.deepEqual(secrets.foundIn(Buffer.from(encoded(secret))), ['secret'])
    assert.deepEqual(secrets.foundIn(text('none')), [])
    assert.deepEqual(secrets.foundIn(Buffer.from(`code ${digits}.`)), ['digits'])
    assert.deepEqual(secrets.foundIn(Buffer.from(`1${digits}2`)), [])
  })

  it('checklist 122: have names, and each field that sounds like one is known to be one or not', () => {
    const { paths } = describeRoutes(routes, ABOUT)
    const sounding = [...new Set(fieldsIn(paths))].filter((field) => SOUNDS_SECRET.test(field))

    assert.ok(sounding.length > 20)
    assert.deepEqual(sounding.filter((field) => !SECRET_NAMES.has(field) && !SOUNDS_ONLY.has(field)).toSorted(), [])
  })
})

const ENCODINGS: readonly (readonly [string, (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['in JSON', (text) => JSON.stringify(text)],
  ['in an address', encodeURIComponent],
  ['in hexadecimal digits', (text) => Buffer.from(text).toString('hex')],
  ...[0, 1, 2].flatMap((before) => [
    [`in base64 after ${before}`, (text: string) => Buffer.from('x'.repeat(before) + text).toString('base64')] as const,
    [
      `in base64url after ${before}`,
      (text: string) => Buffer.from(`${'x'.repeat(before)}${text}`).toString('base64url'),
    ] as const,
  ]),
]

const ABOUT = { title: '', version: '1', serverUrl: 'http://localhost', sessionCookie: '' }

/** Skips fields that say whether there is a secret, or of which kind. */
const SOUNDS_SECRET =
  /^(?!has[A-Z])(?!.*_(?:configured|enabled|shown|type|until)$).*(?:pass|secret|token|code|key|otp|pin|link|challenge|verifier|hint|credential|form)/i

/** They sound like secrets, and are names, kinds, public halves, or codes that people read aloud. */
const SOUNDS_ONLY: ReadonlySet<string> = new Set([
  ...['key', 'before_token', 'password_breached', 'verifier'],
  ...['Idempotency-Key', 'affCode', 'aff_code', 'answer_code', 'beta_code', 'codes', 'user_code'],
  ...['backupCodesLeft', 'challenge_site_key', 'code_challenge', 'code_challenge_method', 'credentialID'],
  ...['id_token_algorithm', 'keep_tokens', 'keys', 'passkey', 'passkeys', 'passwordIsInitial', 'publicKey'],
  ...['login_hint', 'sessionToken', 'token_endpoint_auth_method', 'token_type_hint', 'totp'],
])

/** The fields of inputs and outputs, at any depth. */
function fieldsIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties } = schema as { readonly properties?: object }
  const parameter = 'in' in schema && 'name' in schema ? [String(schema.name)] : []
  return [...parameter, ...Object.keys(properties ?? {}), ...Object.values(schema).flatMap(fieldsIn)]
}
