/** The newest first: what a client that asks for another one gets. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

export interface RpcRequest {
  readonly id: string | number
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

/** JSON-RPC 2.0, section 5.1. */
const CODES = {
  'invalid request': -32_600,
  'method not found': -32_601,
  'invalid params': -32_602,
} as const

export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number

  constructor(kind: keyof typeof CODES, message: string) {
    super(message)
    this.code = CODES[kind]
  }

  bodyFor(id: RpcRequest['id'] | null) {
    return { jsonrpc: '2.0', id, error: { code: this.code, message: this.message } }
  }
}

/** Undefined for a notification or a response, to which nothing is answered. */
export function messageOf(sent: unknown): RpcRequest | undefined {
  if (!isObject(sent) || sent.jsonrpc !== '2.0') {
    throw new RpcError('invalid request', 'Send one JSON-RPC 2.0 message.')
  }
  const { id, method, params = {} } = sent
  const isResponse = method === undefined && ('result' in sent || 'error' in sent)
  if (isResponse || (typeof method === 'string' && id === undefined)) return undefined
  if (typeof method !== 'string' || !isObject(params) || (typeof id !== 'string' && typeof id !== 'number')) {
    throw new RpcError('invalid request', 'A request has an id, a method and named parameters.')
  }
  return { id, method, params }
}

export function versionFor(asked: unknown): string {
  return VERSIONS.find((version) => version === asked) ?? VERSIONS[0]
}

/** Of the header, which clients send after the first message. */
export function refuseUnknownVersion(sent: string | undefined): void {
  if (sent === undefined || VERSIONS.some((version) => version === sent)) return
  throw new RpcError('invalid request', `This server speaks the versions ${VERSIONS.join(', ')}.`)
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
