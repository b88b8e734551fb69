import { z } from 'zod'
import { STATUS } from '../../rules/refusal.ts'
import { SCOPES } from '../../rules/scopes.ts'
import { refusesAsOAuth, takesForm, takesQuery } from '../requests/form.ts'
import { takesKey } from '../requests/idempotency.ts'
import { describedOf, isGuarded, type Route } from '../route.ts'

interface About {
  readonly title: string
  readonly version: string
  readonly serverUrl: string
  /** The name depends on the scheme of the public address. */
  readonly sessionCookie: string
}

const DESCRIPTION = `Users are identified by a session (cookie or bearer token). Programs get access through the
one public OAuth client, \`cli-client\`, with PKCE or a device code and without a secret.`

/** OpenAPI 3.1, made from the routes themselves. */
export function describeRoutes(routes: readonly Route[], { title, version, serverUrl, sessionCookie }: About) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title, version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: serverUrl }],
    paths,
    components: {
      schemas: { Error: errorSchema, OAuthError: oauthErrorSchema },
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie },
        bearer: { type: 'http', scheme: 'bearer' },
        application: { type: 'http', scheme: 'basic' },
      },
    },
  }
}

function operationOf(route: Route) {
  const input = takesQuery(route) ? queryOf(route) : bodyOf(route)
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    tags: [areaOf(route)],
    ...input,
    responses: { ...answerOf(route), ...refusalsOf(route) },
    ...securityOf(route),
  }
}

function answerOf(route: Route) {
  if (route.access === 'public' && route.answer === 'redirect') {
    const location = {
      description: 'The address to go to.',
      schema: { type: 'string', format: 'uri-reference' },
    }
    return { 302: { description: 'Redirect.', headers: { location } } }
  }
  const schema = schemaOf(route.output, 'output')
  const { headers = {}, mediaType = mediaTypeOf(route) } = describedOf(route)
  const listed = Object.entries(headers).map(
    ([name, description]) => [name, { description, schema: { type: 'string' } }] as const,
  )
  const content = { [mediaType]: { schema } }
  return {
    200: {
      description: 'Success.',
      content,
      ...(listed.length > 0 && { headers: Object.fromEntries(listed) }),
    },
  }
}

function mediaTypeOf(route: Route): string {
  return (isGuarded(route) ? route.mediaType : undefined) ?? 'application/json'
}

/** The refusals that a caller can expect; the body has the code. */
function refusalsOf(route: Route) {
  const schema = { $ref: `#/components/schemas/${refusesAsOAuth(route) ? 'OAuthError' : 'Error'}` }
  const refused = (description: string) => ({ description, content: { 'application/json': { schema } } })
  const otherwise = { default: refused('Refused.') }
  if (route.access === 'public' && route.answer === 'redirect') return otherwise
  return {
    ...(needsCredential(route) && {
      401: refused('No session or token, or one that is no longer valid.'),
      403: refused('Not allowed with this session or token.'),
    }),
    ...(isForClients(route) && { 401: refused('The client is unknown, or its secret is missing or wrong.') }),
    ...(route.method === 'POST' && {
      400: refused('The input is not valid, or the action is not possible now.'),
      429: { ...refused('Too many requests.'), headers: { 'Retry-After': retryAfter } },
    }),
    '4XX': refused('Refused.'),
    ...otherwise,
  }
}

function needsCredential(route: Route): boolean {
  return route.access !== 'public' || describedOf(route).credential === 'required'
}

function isForClients(route: Route): boolean {
  const { credential } = describedOf(route)
  return credential === 'of an application' || credential === 'of a client'
}

const EITHER = [{ session: [] }, { bearer: [] }]
const PROOFS = {
  required: EITHER,
  optional: [{}, ...EITHER],
  'of an application': [{ application: [] }],
  'of a client': [{}, { application: [] }],
}

function securityOf(route: Route) {
  if (route.access === 'public') {
    const { credential } = describedOf(route)
    return { security: credential === undefined ? [] : PROOFS[credential] }
  }
  if (route.access === 'session' || route.grants === 'refused') return { security: [{ session: [] }] }
  if (route.access === 'caller') return { security: EITHER }
  const scope = { [route.scope]: SCOPES[route.scope] }
  return { security: [{ session: [] }, { bearer: [route.scope] }], 'x-scope': scope }
}

function queryOf({ input }: Route) {
  const { properties = {}, required = [] } = schemaOf(input, 'input')
  const parameters = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
  return parameters.length > 0 ? { parameters } : {}
}

function bodyOf(route: Route) {
  const { required = [], parameters: described = {} } = describedOf(route)
  const parameters = [
    ...Object.entries(described).map(([name, description]) => headerParameter(name, description)),
    ...(takesKey(route) ? [idempotencyKey] : []),
  ]
  const plain = schemaOf(route.input, 'input')
  const schema = required.length > 0 ? { ...plain, required } : plain
  const mediaType = takesForm(route) ? 'application/x-www-form-urlencoded' : 'application/json'
  return {
    ...(parameters.length > 0 && { parameters }),
    requestBody: { required: true, content: { [mediaType]: { schema } } },
  }
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return plain
}

export function operationIdOf({ method, path }: Route): string {
  return `${method.toLowerCase()}${path.replace(/[^a-z0-9]+/gi, '_')}`
}

/** `/api/admin/list_users` belongs to admin, `/api/list_grants` to account. */
export function areaOf({ path }: Route): string {
  const [, , area = 'service', rest] = path.split('/')
  return rest === undefined ? 'service' : area
}

function headerParameter(name: string, description: string, schema: object = { type: 'string' }) {
  return { name, in: 'header', required: false, description, schema }
}

const idempotencyKey = headerParameter(
  'Idempotency-Key',
  'Makes it safe to send the request again: for 24 hours the same key with the same body gets the first response and changes nothing; with a different body it is refused with 422 IDEMPOTENCY_KEY_REUSED.',
  { type: 'string', minLength: 1, maxLength: 255 },
)

const retryAfter = { description: 'Seconds to wait before trying again.', schema: { type: 'integer' } }

const errorSchema = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', enum: Object.keys(STATUS) },
    message: { type: 'string' },
    issues: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
}

const oauthErrorSchema = {
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'string' }, error_description: { type: 'string' } },
}
