import { isScope } from '../scopes.ts'
import { isObject } from '../terminal/json.ts'

/** A route of the server, as an assistant sees it. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown }
  readonly annotations: {
    readonly title: string
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly openWorldHint: false
  }
  readonly method: 'GET' | 'POST'
  readonly path: string
}

const METHODS = ['get', 'post'] as const

/** The routes in the server's own description that the scopes allow; `allows` decides for one scope. */
export function toolsIn(description: unknown, allows: (scope: string) => boolean): readonly Tool[] {
  const paths = isObject(description) && isObject(description.paths) ? description.paths : {}
  return Object.entries(paths).flatMap(([path, operations]) =>
    METHODS.flatMap((method) => {
      const operation = isObject(operations) ? operations[method] : undefined
      const scope = isObject(operation) ? scopeOf(operation) : undefined
      if (!isObject(operation) || scope === undefined || !allows(scope)) return []
      return [toolOf(path, method, operation, scope)]
    }),
  )
}

function toolOf(
  path: string,
  method: (typeof METHODS)[number],
  operation: Readonly<Record<string, unknown>>,
  scope: string,
): Tool {
  const title = String(operation.summary ?? path)
  const isRead = scope.endsWith(':read')
  return {
    name: path.replace(/^\/api\//, '').replaceAll(/[^A-Za-z0-9_-]+/g, '_'),
    description: `${title}. Needs the scope ${scope}.`,
    inputSchema: { ...(method === 'get' ? querySchema(operation) : bodySchema(operation)), type: 'object' },
    annotations: { title, readOnlyHint: isRead, destructiveHint: !isRead, openWorldHint: false },
    method: method === 'get' ? 'GET' : 'POST',
    path,
  }
}

/** Only routes with a scope: the others are for browsers, or are public. */
function scopeOf(operation: Readonly<Record<string, unknown>>): string | undefined {
  const [scope] = isObject(operation['x-scope']) ? Object.keys(operation['x-scope']) : []
  return scope !== undefined && isScope(scope) ? scope : undefined
}

function bodySchema({ requestBody }: Readonly<Record<string, unknown>>): object {
  const content = isObject(requestBody) && isObject(requestBody.content) ? requestBody.content : {}
  const json = content['application/json']
  return isObject(json) && isObject(json.schema) ? json.schema : {}
}

function querySchema({ parameters }: Readonly<Record<string, unknown>>): object {
  const inQuery = Array.isArray(parameters) ? parameters.filter(isQueryParameter) : []
  return {
    properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema ?? {}])),
    required: inQuery.filter(({ required }) => required === true).map(({ name }) => name),
  }
}

function isQueryParameter(value: unknown): value is { name: string; schema?: object; required?: boolean } {
  return isObject(value) && value.in === 'query' && typeof value.name === 'string'
}
