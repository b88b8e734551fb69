import assert from 'node:assert/strict'
import { describe } from 'vitest'
import type { z } from 'zod'
import { routes } from '../../../src/app.ts'
import type { Route } from '../../../src/http/route.ts'
import { importUsers } from '../../../src/operator/user-import/users-file.ts'
import { assertRefused } from '../../service/answers.ts'
import { CALLBACK, register } from '../../service/applications.ts'
import { addPasskey, SecurityKey } from '../../service/devices/security-key.ts'
import { it } from '../../service/it.ts'
import { type Answer, people, stranger } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const UNFIT = {
  'a line break': 'CI\nCall this number',
  'a carriage return': 'CI\rCall this number',
  'a line separator': 'CI\u2028Call this number',
  NUL: 'C\u0000I',
  'an escape sequence': '\u001b[2JCI',
  'a mark that turns the direction': 'CI\u202egro.live',
  'an isolate of another direction': 'CI\u2067gro.live',
  'half a character': 'CI\ud83d',
  'nothing to see': '\u200b\u2060\u2800',
}
const SOUND = ['CI', 'الجسر المتحرك', '安全密钥 🔑', 'Ann’s “laptop” (1)', '👩‍💻']

describe('checklist 101: a name that is shown where others decide', () => {
  it('is one visible line, in each place where a name is sent', async () => {
    await using w = await world()

    for (const [place, send] of Object.entries(w.places)) {
      for (const [what, name] of Object.entries(UNFIT)) {
        const { status, body } = await send(name)
        assert.deepEqual([status, body.code], [400, 'INVALID_REQUEST'], `${place}: ${what}`)
      }
    }
  })

  it('can be in any language', async () => {
    await using w = await world()

    for (const [place, send] of Object.entries(w.places)) {
      for (const name of SOUND) assert.equal((await send(name)).status, 200, `${place}: ${name}`)
    }
  })
})

/** Fields that accept such a text all the same, with each route. */
const TAKES_ANY = {
  'is looked up or compared': [
    /[ ._](id|token|sessionToken|accountId|\w+_id)$/,
    /^\/api\/(admin\/)?list_\w+ (search|type|action(\[\])?|subject_type|ip)$/,
    /^\/api\/(unsubscribe token|verify (scope|permission|organization)|brand\/\w+ v|bind_beta_code beta_code)$/,
    /^\/api\/admin\/(create_notification|count_audience) audience\.search$/,
    /^\/api\/admin\/find text$/,
    /^\/api\/admin\/read_(users|organizations|members) (ids\[\]|after)$/,
    /^\/api\/auth\/admin\/impersonate-user userId$/,
    /^\/readyz all$/,
    /^\/api\/auth\/organization\/\S+ (\w+\.)?(\w+Id(\[\])?|organizationSlug|memberIdOrEmail|search|sortBy|filterValue)$/,
    /^\/api\/auth\/organization\/\S+ (\w+\.)?(role|role\[\]|roleName)$/,
    /^\/api\/auth\/organization\/has-permission permissions?\{(key)?\}(\[\])?$/,
  ],
  'is a password, a code, or of a passkey': [
    /^\/api\/auth\/\S+ (password|currentPassword|newPassword|code)$/,
    /^\/api\/admin\/create_user password$/,
    /^\/api\/auth\/\S+ (passkey|response)\./,
    /^\/api\/auth\/passkey\/generate-register-options context$/,
  ],
  'is a parameter of OAuth': [
    /^\/api\/oauth\/(?!register client_name)/,
    /^\/register (?!client_name)/,
    /^\/api\/auth\/(oauth2\/)?callback\/\w+ /,
  ],
  'is checked as an address': [
    /^\/api\/auth\/\S+ \w+URL$/,
    /^\/api\/admin\/(create|update)_application (\w+_uris\[\]|resource)$/,
    /^\/api\/admin\/preview_letter link$/,
  ],
  'is a name of a user, which is cleaned': [
    /^\/api\/auth\/(sign-up\/email|update-user|(passkey\/generate-(sign-up|invitation)-options|accept-invitation)) name$/,
    /^\/api\/admin\/(create|invite)_user name$/,
  ],
  'is a text in lines of its own': [
    /^\/api\/(submit_feedback|admin\/(create|update)_notification) content$/,
    /^\/api\/admin\/(reply_to_feedback text|save_reply text|update_feedback note|(suspend|restore)_(user|organization) reason)$/,
    /^\/api\/auth\/admin\/impersonate-user reason$/,
    /^\/api\/admin\/preview_letter (title|content)$/,
  ],
  'is a style sheet, which is judged': [
    /^\/api\/admin\/(update_brand_config|preview_palette) css$/,
    /^\/api\/admin\/(create|update)_application brand\.css$/,
  ],
  'has names and values of the sender’s choice': [
    /^\/api\/submit_feedback context\{\}$/,
    /^\/api\/(auth\/sign-up\/email data|update_(organization_)?data own|admin\/update_(user|organization)_data (public|private|own))\{key\}$/,
    /^\/api\/admin\/(update_hooks_config|preview_token) claims\{key\}$/,
    /^\/api\/auth\/organization\/(create|update) (data\.)?metadata\{key\}$/,
    /^\/api\/admin\/save_view filters\{(key)?\}(\[\])?$/,
  ],
}

describe('checklist 101: a text of a route', () => {
  it('is one visible line, or is one of those that are named here', () => {
    const declared: readonly Route[] = routes
    const fields = declared.flatMap(({ path, input }) =>
      textsOf(input, `${path} `)
        .filter(([, schema]) => Object.values(UNFIT).some((text) => takes(schema, text)))
        .map(([name]) => name),
    )
    const named = Object.values(TAKES_ANY).flat()

    assert.deepEqual(
      fields.filter((field) => !named.some((pattern) => pattern.test(field))),
      [],
    )
    assert.deepEqual(
      named.filter((pattern) => !fields.some((field) => pattern.test(field))),
      [],
    )
  })
})

/** A picture is looked at after its text was read. */
function takes(schema: z.core.$ZodType, text: string): boolean {
  const read = schema['~standard'].validate(text)
  return !(read instanceof Promise) && !read.issues
}

type Texts = readonly (readonly [name: string, schema: z.core.$ZodType])[]

/** Every text that a body can have, by the path of its field. */
function textsOf(schema: z.core.$ZodType, path: string): Texts {
  const { def } = (schema as z.core.$ZodTypes)._zod
  const under = (name: string) => (path.endsWith(' ') ? path + name : `${path}.${name}`)
  switch (def.type) {
    case 'string':
      return [[path, schema]]
    case 'object':
      return Object.entries(def.shape).flatMap(([name, field]) => textsOf(field, under(name)))
    case 'array':
      return textsOf(def.element, `${path}[]`)
    case 'record':
      return [...textsOf(def.keyType, `${path}{key}`), ...textsOf(def.valueType, `${path}{}`)]
    case 'union':
      return def.options.flatMap((option) => textsOf(option, path))
    case 'pipe':
      return (def.in as z.core.$ZodTypes)._zod.def.type === 'string'
        ? [[path, schema]]
        : [def.in, def.out].flatMap((end) => textsOf(end, path))
    case 'optional':
    case 'nullable':
    case 'default':
    case 'catch':
      return textsOf(def.innerType, path)
    default:
      assert.ok(['boolean', 'enum', 'literal', 'number', 'transform', 'unknown'].includes(def.type), def.type)
      return []
  }
}

describe('checklist 101: a name of a user', () => {
  it('is cleaned to one sound line, wherever it is written', async ({ service, administrator, ann }) => {
    const carl = stranger(service)
    const name = ' Carl\r\nCall this number:\u202enow\u2066 '
    const byAdministrator = { email: 'dora@example.com', name, password: 'a bench by the gate' }

    const answers = [
      await carl.signUp({ name }),
      await ann.post('/api/auth/update-user', { name }),
      await administrator.post('/api/admin/create_user', byAdministrator),
    ]
    const imported = [{ email: 'emil@example.com', name }]
    assert.equal((await importUsers(service.platform, imported, () => undefined)).imported, 1)

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    const { items } = (await administrator.post('/api/admin/list_users')).body
    const names = new Map<string, string>(
      items.map((user: { readonly email: string; readonly name: string }) => [user.email, user.name]),
    )
    for (const email of [carl.email, ann.email, 'dora@example.com', 'emil@example.com'])
      assert.equal(names.get(email), 'Carl Call this number: now', email)
  })

  it('of which nothing can be seen is refused, and not taken from a file', async ({ service, administrator, ann }) => {
    const carl = stranger(service)
    for (const name of ['\n\u202e', '\u200b', '\u200b\u2060\u00ad', '\u3164', '\u2800 ']) {
      const sent = [
        await ann.post('/api/auth/update-user', { name }),
        await carl.signUp({ name }),
        await administrator.post('/api/admin/create_user', { email: 'dora@example.com', name }),
      ]
      for (const answer of sent) assertRefused(answer, 'INVALID_REQUEST', 'name')
    }

    const emil = { email: 'emil@example.com', name: '\u200b' }
    assert.equal((await importUsers(service.platform, [emil], () => undefined)).imported, 1)
    const { items } = (await administrator.post('/api/admin/list_users', { search: emil.email })).body
    assert.equal(items[0].name, emil.email)
  })
})

interface Refused {
  readonly code?: string
}

async function world() {
  const service = await startService({ env: { USER_LIMIT_FACTOR: '100' } })
  const { administrator, ann } = await people(service)
  const { id } = await register(administrator)
  const key = new SecurityKey(service.config.baseUrl)
  const { body: passkey } = await addPasskey(ann, key)
  const application = { kind: 'web', redirect_uris: [CALLBACK] }
  const token = { scopes: ['account:profile:read'], expires_in_days: 30 }
  const scope = 'product:bells:read'
  const grant = { id: ann.id, amount: 1 }
  const saved = async (part: string, fields: object) => {
    const { body } = await administrator.post(`/api/admin/get_${part}_config`)
    return administrator.post(`/api/admin/update_${part}_config`, {
      expected_version: body.version,
      ...fields,
    })
  }
  const places: Readonly<Record<string, (name: string) => Promise<Answer<Refused>>>> = {
    'a new application': (name) => administrator.post('/api/admin/create_application', { ...application, name }),
    'an application': (name) => administrator.post('/api/admin/update_application', { id, name }),
    'a product scope': (name) => administrator.post('/api/admin/declare_product_scope', { scope, description: name }),
    'a personal token': (name) => ann.post('/api/create_personal_token', { ...token, name }),
    'a notification': (title) => administrator.post('/api/admin/create_notification', { title, content: 'C' }),
    'a type of notifications': (type) =>
      administrator.post('/api/admin/create_notification', { type, title: 'One', content: 'C' }),
    'a type of feedback': (type) => ann.post('/api/submit_feedback', { type, content: 'C' }),
    'what credits are given for': (note) => administrator.post('/api/admin/give_credits', { ...grant, note }),
    'a saved view': (name) => administrator.post('/api/admin/save_view', { list: 'users', name, filters: {} }),
    'the model of the AI': (model) => saved('ai', { model }),
    'the user at the mail server': (smtp_user) => saved('email', { smtp_user }),
    'the name at a provider': (provider_a_client_id) => saved('authentication', { provider_a_client_id }),
    'a passkey': (name) => ann.post('/api/auth/passkey/update-passkey', { id: passkey.id, name }),
    'an authenticator app': (issuer) => ann.post('/api/auth/two-factor/enable', { password: ann.password, issuer }),
  }
  return { places, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}
