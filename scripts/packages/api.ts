import { z } from 'zod'
import type { RouteFacts } from '../../packages/client/client.ts'
import { takesForm } from '../../src/http/requests/form.ts'
import { takesKey } from '../../src/http/requests/idempotency.ts'
import type { Route } from '../../src/http/route.ts'
import { type JsonSchema, typescriptOf } from './typescript-of.ts'

/** The type `Api` of `gatehouse/client`, made from the routes that speak JSON. */
export function apiTypesOf(routes: readonly Route[]): string {
  return [
    'export interface Api {',
    `  get: {\n${entriesOf(routes, 'GET')}\n  }`,
    `  post: {\n${entriesOf(routes, 'POST')}\n  }`,
    '}',
  ].join('\n')
}

export function routeFactsOf(routes: readonly Route[]): RouteFacts {
  const spoken = routes.filter(speaksJson)
  return {
    reads: spoken.filter(isRead).map(({ method, path }) => `${method} ${path}`),
    keyed: spoken.filter(takesKey).map(({ path }) => path),
  }
}

function entriesOf(routes: readonly Route[], method: Route['method']): string {
  return routes
    .filter((route) => route.method === method && speaksJson(route))
    .map((route) => `    /** ${route.summary} */\n    ${JSON.stringify(route.path)}: ${entryOf(route)}`)
    .join('\n')
}

function entryOf({ input, output }: Route): string {
  return `{ input: ${typescriptOf(schemaOf(input, 'input'))}; output: ${typescriptOf(schemaOf(output, 'output'))} }`
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return plain as JsonSchema
}

/** Forms are for OAuth clients, redirects for browsers, text for monitors. */
function speaksJson(route: Route): boolean {
  if (takesForm(route) || !route.path.startsWith('/api/')) return false
  if (route.access !== 'public') return true
  return route.answer !== 'redirect' && route.described?.mediaType === undefined
}

/** Changes nothing, so a second request does no harm. */
function isRead(route: Route): boolean {
  return route.method === 'GET' || (route.access === 'protected' && route.scope.endsWith(':read'))
}
