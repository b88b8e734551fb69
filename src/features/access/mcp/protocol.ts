/** The revisions that begin with a handshake, newest first. An unknown version gets the first. */
const WITH_HANDSHAKE = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const
/** The revision in which each request names its own version. */
const STATELESS = '2026-07-28'
export const VERSIONS: readonly string[] = [STATELESS, ...WITH_HANDSHAKE]

export interface RpcRequest {
  readonly id: string | number
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** The errors of JSON-RPC 2.0, section 5.1, and of the protocol, with their status in the stateless revision. */
const KINDS = {
  'invalid request': { code: -32_600, status: 400 },
  'method not found': { code: -32_601, status: 404 },
  'invalid params': { code: -32_602, status: 200 },
  'missing metadata': { code: -32_602, status: 400 },
  'header mismatch': { code: -32_020, status: 400 },
  'unsupported version': { code: -32_022, status: 400 },
} as const

export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly status: 200 | 400 | 404
  readonly data: object | undefined

  constructor(kind: keyof typeof KINDS, message: string, data?: object) {
    super(message)
    this.code = KINDS[kind].code
    this.status = KINDS[kind].status
    this.data = data
  }

  bodyFor(id: RpcRequest['id'] | null) {
    const { code, message, data } = this
    return { jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } }
  }
}

/** Undefined for a notification or a response, neither of which gets an answer. */
export function messageOf(sent: unknown): RpcRequest | undefined {
  if (!isObject(sent) || sent.jsonrpc !== '2.0') {
    throw new RpcError('invalid request', 'Send one JSON-RPC 2.0 message.')
  }
  const { id, method, params = {} } = sent
  const isResponse = method === undefined && ('result' in sent || 'error' in sent)
  if (isResponse || (typeof method === 'string' && id === undefined)) return undefined
  if (typeof method !== 'string' || !isObject(params) || !isId(id)) {
    throw new RpcError('invalid request', 'A request has an id, a method and named parameters.')
  }
  return { id, method, params }
}

/** A number that cannot be sent back unchanged would leave its client waiting. */
function isId(id: unknown): id is RpcRequest['id'] {
  return typeof id === 'string' || (typeof id === 'number' && Math.abs(id) <= Number.MAX_SAFE_INTEGER)
}

export function versionFor(wanted: unknown): string {
  return WITH_HANDSHAKE.find((version) => version === wanted) ?? WITH_HANDSHAKE[0]
}

const META = 'io.modelcontextprotocol/'
export const SERVER_INFO = `${META}serverInfo`
export const SUBSCRIPTION_ID = `${META}subscriptionId`

type ReadHeader = (name: string) => string | undefined

/**
 * True if a request is of the stateless revision. Older ones name no version, or only the negotiated one in the header.
 */
export function isStateless({ params }: RpcRequest, header: ReadHeader): boolean {
  const version = declaredVersion(params) ?? header('mcp-protocol-version')
  return version !== undefined && !WITH_HANDSHAKE.some((older) => older === version)
}

/** Checks the fields that each request of the stateless revision carries, in its body and again in its headers. */
export function checkStateless({ method, params }: RpcRequest, header: ReadHeader): void {
  const version = declaredVersion(params)
  const sent = header('mcp-protocol-version')
  if (version !== undefined) refuseMismatch('MCP-Protocol-Version', sent, version)
  const requested = version ?? sent
  if (requested !== STATELESS) {
    throw new RpcError('unsupported version', `This server speaks the versions ${VERSIONS.join(', ')}.`, {
      supported: VERSIONS,
      requested,
    })
  }
  const meta = isObject(params._meta) ? params._meta : {}
  for (const [name, isRequired] of [
    ['clientCapabilities', true],
    ['clientInfo', false],
  ] as const) {
    const value = meta[`${META}${name}`]
    if (isObject(value) || (value === undefined && !isRequired)) continue
    throw new RpcError('missing metadata', `_meta needs ${META}${name}, an object.`)
  }
  if (version === undefined) throw new RpcError('missing metadata', `_meta needs ${META}protocolVersion.`)
  refuseMismatch('Mcp-Method', header('mcp-method'), method)
  if (method === 'tools/call') refuseMismatch('Mcp-Name', decoded(header('mcp-name')), params.name)
}

function declaredVersion({ _meta }: RpcRequest['params']): unknown {
  return isObject(_meta) ? _meta[`${META}protocolVersion`] : undefined
}

/** A proxy may have decided by the header, so the header must agree with the body. */
function refuseMismatch(name: string, sent: string | undefined, inBody: unknown): void {
  if (sent === inBody && sent !== undefined) return
  const what = sent === undefined ? 'is missing' : 'is not what the body says'
  throw new RpcError('header mismatch', `The header ${name} ${what}.`)
}

/** Values that a header cannot hold are sent in Base64. */
function decoded(value: string | undefined): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value ?? '') ?? []
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8')
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
