import { AsyncLocalStorage } from 'node:async_hooks'

/** Records durations as a tree of spans, and nothing personal: no user, no address, no content. */
export interface Span {
  readonly traceId: string
  readonly id: string
  set(attributes: Attributes): void
  fail(error: unknown): void
  end(): void
}

export type Attributes = Readonly<Record<string, string | number>>

export interface What {
  readonly name: string
  readonly kind: 'server' | 'client' | 'internal'
  readonly attributes?: Attributes
}

export interface Traces {
  /** Does the work as a span of the current one, or of the caller whose `traceparent` this is. */
  around<T>(what: What, work: () => Promise<T>, traceparent?: string): Promise<T>
  /** Records something that has just ended, only as part of another span. */
  took(what: What, seconds: number, error?: unknown): void
  /** The headers with which the called service can continue the trace. */
  headers(): Readonly<Record<string, string>>
  close(): Promise<void>
}

const current = new AsyncLocalStorage<Span>()

export function currentSpan(): Span | undefined {
  return current.getStore()
}

export async function inSpan<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await current.run(span, work)
  } catch (error) {
    span.fail(error)
    throw error
  } finally {
    span.end()
  }
}

export interface SpanKeeper {
  currentSpan(): Span | undefined
  inSpan<T>(span: Span, work: () => Promise<T>): Promise<T>
}

export const NO_TRACES: Traces = {
  around: (_what, work) => work(),
  took: () => undefined,
  headers: () => ({}),
  close: async () => undefined,
}
