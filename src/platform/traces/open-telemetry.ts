import { type Context, type Span as Recorded, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { Config } from '../../config/config.ts'
import { version } from '../../rules/version.ts'
import type { Log } from '../log/log.ts'
import { Exporter } from './exporter.ts'
import type { Span, SpanKeeper, Traces, What } from './traces.ts'

/** The time a stop waits for the last spans to be accepted. */
const LAST_MILLISECONDS = 1_000

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }

/**
 * The build puts this into a file of its own, so the caller keeps the current span, not a copy of this module. Spans
 * wait in memory, 2,048 at most; what does not fit, or is not accepted, is dropped.
 */
export function openTraces(
  { currentSpan, inSpan }: SpanKeeper,
  endpoint: string,
  { otlpHeaders }: Pick<Config, 'otlpHeaders'>,
  log: Log,
): Traces {
  const exporter = new Exporter(`${endpoint}/v1/traces`, otlpHeaders, log)
  const ours = resourceFromAttributes({ 'service.name': 'gatehouse', 'service.version': version })
  const provider = new BasicTracerProvider({
    resource: ours.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  })
  const tracer = provider.getTracer('gatehouse', version)
  const propagator = new W3CTraceContextPropagator()

  const begin = ({ name, kind, attributes = {} }: What, parent: Context, startTime?: number): RecordedSpan =>
    new RecordedSpan(
      tracer.startSpan(name, { kind: KINDS[kind], attributes, ...(startTime && { startTime }) }, parent),
      parent,
    )
  return {
    around(what, work, traceparent) {
      const parent = traceparent === undefined ? contextOf(currentSpan()) : sentBy(propagator, traceparent)
      return inSpan(begin(what, parent), work)
    },
    took(what, seconds, error) {
      const parent = currentSpan()
      if (!parent) return
      const span = begin(what, contextOf(parent), Date.now() - seconds * 1000)
      if (error !== undefined) span.fail(error)
      span.end()
    },
    headers() {
      const headers: Record<string, string> = {}
      const set = (_carrier: unknown, name: string, value: string) => {
        headers[name] = value
      }
      propagator.inject(contextOf(currentSpan()), headers, { set })
      return headers
    },
    async close() {
      const late = setTimeout(() => exporter.abort(), LAST_MILLISECONDS)
      // It rejects with the error that the exporter has logged.
      await provider.shutdown().catch(() => undefined)
      clearTimeout(late)
    },
  }
}

class RecordedSpan implements Span {
  readonly traceId: string
  readonly id: string
  readonly context: Context
  readonly #recorded: Recorded

  constructor(recorded: Recorded, parent: Context) {
    this.#recorded = recorded
    this.context = trace.setSpan(parent, recorded)
    const { traceId, spanId } = recorded.spanContext()
    this.traceId = traceId
    this.id = spanId
  }

  set(attributes: What['attributes'] & {}): void {
    this.#recorded.setAttributes(attributes)
    // OpenTelemetry's convention for HTTP: a client error is not an error of the server.
    if (Number(attributes['http.response.status_code']) >= 500) this.#recorded.setStatus({ code: SpanStatusCode.ERROR })
  }

  /** Records only the kind of the error: its message can name somebody. */
  fail(error: unknown): void {
    this.#recorded.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
    this.#recorded.setStatus({ code: SpanStatusCode.ERROR })
  }

  end(): void {
    this.#recorded.end()
  }
}

function contextOf(span: Span | undefined): Context {
  return span instanceof RecordedSpan ? span.context : ROOT_CONTEXT
}

function sentBy(propagator: W3CTraceContextPropagator, traceparent: string): Context {
  return propagator.extract(
    ROOT_CONTEXT,
    { traceparent },
    {
      get: (carrier, name) => (name === 'traceparent' ? carrier.traceparent : undefined),
      keys: () => ['traceparent'],
    },
  )
}
