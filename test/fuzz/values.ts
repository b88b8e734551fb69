import fc from 'fast-check'

/** The part of JSON Schema that the service's own description uses. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** Replaced by what is real in the service under test, so that some requests get far. */
const PLACEHOLDERS = ['$ANN_ID', '$BEN_ID', '$ADMINISTRATOR_ID', '$REFRESH', '$ACCESS', '$SESSION']

const NASTY = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e',
  '\r\nset-cookie: x=y',
  "' or 1=1 --",
  '"; drop table user; --',
  '%',
  '_',
  '%00',
  '../../etc/passwd',
  '#{7*7}',
  '{{7*7}}',
  'Gateh०use',
  'Gatehous℮ Login',
  'Ｇａｔｅｈｏｕｓｅ',
  'google．com',
  'goo\u00adgle\u3002com',
  'Your bank – verified ✓',
  '🇬🇦🇹🇪🇭🇴🇺🇸🇪',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  '-1',
  '0',
  '1e999',
  'NaN',
  'true',
  'null',
  '9223372036854775808',
  '2026-11-21',
  '2026-11-21T00:00:00.000Z',
  '+275760-09-13T00:00:00.001Z',
  'ann@example.com',
  'ANN@EXAMPLE.COM ',
  'community-42@community.local',
  'a@b@example.com',
  'x@example.com.',
  '123456',
  'apac-1',
  'provider_a',
  'community',
  'email-verification',
  'cli-client',
  'refresh_token',
  'http://127.0.0.1:1/callback',
  'first-primary',
]

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 2, arbitrary: fc.constantFrom(...PLACEHOLDERS) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.emailAddress() },
  { weight: 1, arbitrary: fc.uuid() },
  { weight: 1, arbitrary: fc.integer({ min: 60, max: 40_000 }).map((length) => 'x'.repeat(length)) },
)

const emails = fc.oneof(
  fc.constantFrom('ann@example.com', ' ANN@example.com', 'ben@example.com', 'carl@example.com'),
  fc.emailAddress(),
)

/** Values that get a field with this name past its first check. */
const LIKELY: Readonly<Record<string, readonly string[]>> = {
  client_id: ['cli-client'],
  grant_type: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  response_type: ['code'],
  code_challenge_method: ['S256'],
  code_challenge: ['x'.repeat(43)],
  redirect_uri: ['http://127.0.0.1:4321/callback', 'http://[::1]:1/callback'],
  scope: ['api_access offline_access account:profile:read', 'account:profile:read'],
  refresh_token: ['$REFRESH'],
  token: ['$REFRESH', '$ACCESS', '$SESSION'],
  callbackURL: ['/home', 'http://localhost:5173/home'],
  errorCallbackURL: ['/sorry'],
  password: ['a long walk in the rain', 'another long walk'],
  currentPassword: ['a long walk in the rain'],
  newPassword: ['a long walk in the rain', 'another long walk'],
  created_at_start: ['2026-11-21', '1763683200000'],
  created_at_end: ['2026-11-22T00:00:00Z'],
}

const number = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.integer({ min: -3, max: 200 }),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(-0, 1e308, 8.64e15, 8.64e15 + 1, 2 ** 31, 2 ** 53),
)

export const anything: fc.Arbitrary<unknown> = fc.oneof(
  text,
  number,
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.oneof(text, number), { maxLength: 4 }),
  fc.dictionary(text, fc.oneof(text, number, fc.constant(null)), { maxKeys: 4 }),
)

/** Values of the right form with hostile content, and now and then of any other form. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 24, arbitrary: wellFormed(schema) }, { weight: 1, arbitrary: anything })
}

function wellFormed(schema: Schema): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices && choices.length > 0) return fc.oneof(...choices.map(valuesOf))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const types = [schema.type ?? 'any'].flat()
  return fc.oneof(...types.map((type) => ofType(type, schema)))
}

function ofType(type: string, schema: Schema): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return schema.format === 'email'
        ? fc.oneof({ weight: 3, arbitrary: emails }, { weight: 1, arbitrary: text })
        : text
    case 'integer':
    case 'number':
      return number
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), { maxLength: 5 })
    case 'object':
      return objectsOf(schema.properties ?? {}, schema.required ?? [])
    default:
      return anything
  }
}

/** Mostly what is required and some of the rest; now and then something missing, or something strange. */
function objectsOf(properties: Readonly<Record<string, Schema>>, required: readonly string[]): fc.Arbitrary<unknown> {
  const known = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, fieldsOf(name, schema)]))
  const requiredKeys = required.filter((name) => name in known)
  const enough = fc.record(known, { requiredKeys })
  const strange = fc.dictionary(fc.oneof(text, fc.constantFrom('role', 'id', '__proto__')), anything, {
    maxKeys: 2,
  })
  return fc.oneof(
    { weight: 8, arbitrary: enough },
    { weight: 1, arbitrary: fc.record(known, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.tuple(enough, strange).map(([a, b]) => ({ ...a, ...b })) },
  )
}

function fieldsOf(name: string, schema: Schema): fc.Arbitrary<unknown> {
  const likely = LIKELY[name]
  if (!likely) return valuesOf(schema)
  return fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...likely) }, { weight: 1, arbitrary: valuesOf(schema) })
}
