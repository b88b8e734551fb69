export interface Issue {
  readonly path: string
  readonly message: string
}

/** A refusal of the service, in its own words; status 0 with the code `NETWORK` if there was no response. */
export class GatehouseError extends Error {
  override readonly name = 'GatehouseError'
  readonly status: number
  readonly code: string
  readonly issues: readonly Issue[]
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, code: string, message: string, details: Details = {}) {
    super(message, details)
    this.status = status
    this.code = code
    this.issues = details.issues ?? []
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

interface Details extends ErrorOptions {
  readonly issues?: readonly Issue[]
  readonly retryAfterSeconds?: number | undefined
}

/** If the caller aborted, its own reason is thrown. */
export function unreachable(signal: AbortSignal | undefined): (cause: unknown) => never {
  return (cause) => {
    signal?.throwIfAborted()
    throw new GatehouseError(0, 'NETWORK', 'The service did not respond.', { cause })
  }
}

export function refusalOf({ status, headers }: Response, text: string): GatehouseError {
  const { code, message, issues } = fieldsOf(text)
  const retryAfter = headers.get('retry-after') ?? ''
  return new GatehouseError(
    status,
    typeof code === 'string' ? code : 'UNREADABLE',
    typeof message === 'string' ? message : `The service returned ${status}.`,
    {
      // A timer cannot count more. Gatehouse sends a number of seconds, and never a date.
      retryAfterSeconds: /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : undefined,
      issues: Array.isArray(issues) ? issues.filter(isIssue) : [],
    },
  )
}

export function tooLarge({ status }: Response, largestBytes: number): GatehouseError {
  return new GatehouseError(status, 'UNREADABLE', `The response has more than ${largestBytes} bytes.`)
}

function isIssue(value: unknown): value is Issue {
  if (typeof value !== 'object' || value === null) return false
  return 'path' in value && typeof value.path === 'string' && 'message' in value && typeof value.message === 'string'
}

/** Throws if something else answered in place of the service. */
export function parsed({ status }: Response, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new GatehouseError(status, 'UNREADABLE', 'This is not a response of Gatehouse.', { cause })
  }
}

/** A proxy in front of the service can answer with a page. */
function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? { ...body } : {}
  } catch {
    return {}
  }
}
