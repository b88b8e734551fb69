import { z } from 'zod'
import { STATUS } from '../../rules/refusal.ts'
import { SCOPES } from '../../rules/scopes.ts'
import { takesForm } from '../form.ts'
import { takesKey } from '../idempotency.ts'
import type { Route } from '../route.ts'

interface About {
  readonly title: string
  readonly version: string
  readonly serverUrl: string
}

/** OpenAPI 3.1, made from the routes themselves. */
export function describeRoutes(routes: readonly Route[], { title, version, serverUrl }: About) {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title, version },
    servers: [{ url: serverUrl }],
    paths,
    components: { schemas: { Error: errorSchema, OAuthError: oauthErrorSchema }, securitySchemes },
  }
}

function operationOf(route: Route) {
  const input = route.method === 'GET' ? queryOf(route) : bodyOf(route)
  return {
    operationId: operationIdOf(route),
    summary: route.summary,
    tags: [tagOf(route)],
    ...input,
    responses: {
      ...answerOf(route),
      default: {
        description: 'Refused.',
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${takesForm(route) ? 'OAuthError' : 'Error'}` },
          },
        },
      },
    },
    ...securityOf(route),
  }
}

function answerOf(route: Route) {
  if (route.access === 'public' && route.answer === 'redirect') {
    const location = { description: 'Where to.', schema: { type: 'string', format: 'uri-reference' } }
    return { 302: { description: 'Onward.', headers: { location } } }
  }
  const schema = schemaOf(route.output, 'output')
  return { 200: { description: 'Done.', content: { 'application/json': { schema } } } }
}

function securityOf(route: Route) {
  if (route.access === 'public') return { security: [] }
  if (route.access === 'session') return { security: [{ session: [] }] }
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
  const keys = takesKey(route) ? { parameters: [idempotencyKey] } : {}
  const mediaType = takesForm(route) ? 'application/x-www-form-urlencoded' : 'application/json'
  return {
    ...keys,
    requestBody: { required: true, content: { [mediaType]: { schema: schemaOf(route.input, 'input') } } },
  }
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output') {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return plain
}

function operationIdOf({ method, path }: Route): string {
  return `${method.toLowerCase()}${path.replace(/[^a-z0-9]+/gi, '_')}`
}

/** `/api/admin/list_users` belongs to admin, `/api/list_grants` to account. */
function tagOf({ path }: Route): string {
  const [, , area = 'service', rest] = path.split('/')
  return rest === undefined ? 'service' : area
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes it safe to send the request again: for 24 hours the same key with the same body gets the first answer and changes nothing; with another body it is 422 IDEMPOTENCY_KEY_REUSED.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

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

const securitySchemes = {
  session: { type: 'apiKey', in: 'cookie', name: 'session' },
  bearer: { type: 'http', scheme: 'bearer' },
}
