import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Log } from '../log/log.ts'
import { RepeatedFailure } from '../log/repeated-failure.ts'

const PATIENCE_MILLISECONDS = 10_000
/** After a failure, spans are dropped for this long without a try. */
const PAUSE_MILLISECONDS = 5_000

/** OTLP over HTTP, as JSON. Tries each batch once: the next ones are more useful than an old one. */
export class Exporter implements SpanExporter {
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #failure: RepeatedFailure
  readonly #ending = new AbortController()
  #pausedUntil = 0

  constructor(url: string, headers: Readonly<Record<string, string>>, log: Log) {
    this.#url = url
    this.#headers = { ...headers, 'content-type': 'application/json' }
    this.#failure = new RepeatedFailure(log.child({ collector: new URL(url).host }), {
      failed: 'the collector does not accept traces; they are dropped',
      ended: 'the collector accepts traces again',
    })
  }

  export(spans: ReadableSpan[], settled: (result: ExportResult) => void): void {
    if (performance.now() < this.#pausedUntil) {
      settled({ code: ExportResultCode.FAILED })
      return
    }
    this.#send(spans).then(
      () => {
        this.#failure.ended()
        settled({ code: ExportResultCode.SUCCESS })
      },
      (error: Error) => {
        this.#failure.failed(error, 'warn')
        this.#pausedUntil = performance.now() + PAUSE_MILLISECONDS
        settled({ code: ExportResultCode.FAILED, error })
      },
    )
  }

  async #send(spans: ReadableSpan[]): Promise<void> {
    const body = JsonTraceSerializer.serializeRequest(spans)
    if (!body) throw new TypeError('spans that cannot be written')
    const answer = await fetch(this.#url, {
      method: 'POST',
      headers: this.#headers,
      body: Buffer.from(body),
      redirect: 'error',
      signal: AbortSignal.any([this.#ending.signal, AbortSignal.timeout(PATIENCE_MILLISECONDS)]),
    })
    await answer.body?.cancel()
    if (!answer.ok) throw new Error(`the collector answered ${answer.status}`)
  }

  /** Ends what is still being sent. */
  abort(): void {
    this.#ending.abort(new Error('this process is ending'))
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}
}
