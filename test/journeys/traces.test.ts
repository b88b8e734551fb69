import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe } from 'vitest'
import { startHttpServer } from '../processes/http-server.ts'
import { it as base } from '../processes/it.ts'
import { startSmtpServer } from '../processes/smtp-server.ts'
import { startProduct } from '../service/product.ts'

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
  readonly status: { readonly code?: number }
}

const TRACE = 'a'.repeat(32)
const CALLER = 'b'.repeat(16)

/** Accepts what a collector does: OTLP over HTTP as JSON. */
const it = base.extend<{ collector: Collector }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  collector: async ({}, use) => {
    const server = await startHttpServer(() => ({ body: { partialSuccess: {} } }))
    await use({
      url: server.url,
      heard: server.heard,
      spans: () =>
        server.heard.flatMap(({ body }) =>
          JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
            scopeSpans.flatMap(({ spans }) => spans),
          ),
        ),
    })
    await server.stop()
  },
})

interface Collector {
  readonly url: string
  readonly heard: Awaited<ReturnType<typeof startHttpServer>>['heard']
  spans(): readonly Span[]
}

function attributesOf({ attributes }: Span): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}

describe('traces', () => {
  it('have requests of a caller’s trace, with statements, hashes, mails and webhooks below them, and name nobody', async ({
    program,
    collector,
  }) => {
    await using mail = await startSmtpServer()
    await using product = await startProduct()
    const credentials = await program.prepare({ SMTP_URL: mail.url }, { email: { provider: 'smtp', api_key: '' } })
    const life = await program.serve({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of%20ours',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      SMTP_URL: mail.url,
      WEBHOOK_NETWORKS: '127.0.0.0/8',
    })
    const administrator = await life.signedIn(credentials)
    await administrator.post('/api/admin/create_webhook', {
      url: product.url,
      types: ['notification.published'],
    })
    const handedOver = new Promise<void>((resolve) => {
      product.behaviour.answer = (_, response) => response.end('thanks', () => resolve())
    })
    const ann = await life.signedUp('ann')
    const mailed = mail.nextMessage()

    await ann.post(
      '/api/submit_feedback',
      { type: 'idea', content: 'more of it' },
      {
        traceparent: `00-${TRACE}-${CALLER}-01`,
      },
    )
    const reset = await ann.post('/api/auth/email-otp/request-password-reset', { email: ann.email })
    assert.equal(reset.status, 200)
    await administrator.post('/api/admin/create_notification', { title: 'T', content: 'C' })
    await Promise.all([handedOver, mailed])
    const { code } = await life.end()

    const spans = collector.spans()
    const named = (name: string) => spans.filter((span) => span.name === name)
    const [feedback] = named('POST /api/submit_feedback')
    const ofFeedback = spans.filter(({ traceId }) => traceId === TRACE)
    assert.equal(code, 0)
    assert.deepEqual([feedback?.traceId, feedback?.parentSpanId], [TRACE, CALLER])
    assert.ok(feedback)
    assert.equal(attributesOf(feedback)['http.response.status_code'], 200)
    const batch = ofFeedback.find(({ name }) => /^[a-z]+-1 batch$/.test(name))
    assert.equal(batch?.parentSpanId, feedback.spanId)
    assert.match(String(batch && attributesOf(batch)['db.query.text']), /insert into "feedbacks"/)
    assert.ok(named('hash').length >= 2)
    assert.deepEqual([named('mail').length, named('webhook').length], [1, 1])
    assert.ok(named('job mail').length > 0)
    const [webhook] = named('webhook')
    assert.equal(product.got[0]?.headers.traceparent, `00-${webhook?.traceId}-${webhook?.spanId}-01`)
    const [{ headers, path, body } = { headers: {}, path: '', body: '' }] = collector.heard
    assert.deepEqual([path, headers.authorization], ['/v1/traces', 'Bearer of ours'])
    assert.match(body, /"deployment\.environment\.name"/)
    const all = collector.heard.map((call) => call.body).join()
    for (const secret of [ann.email, ann.id, ann.password, 'more of it', credentials.email])
      assert.ok(!all.includes(secret), secret)
  })

  it('are in the log lines of a request', async ({ program, collector }) => {
    const life = await program.serve({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, LOG_LEVEL: 'debug' })

    await life.request('/api/health', { headers: { traceparent: `00-${TRACE}-${CALLER}-01` } })
    const { stderr } = await life.end()

    const [span] = collector.spans().filter(({ name }) => name === 'GET /api/health')
    assert.match(stderr, new RegExp(`"trace_id":"${TRACE}","span_id":"${span?.spanId}".*"path":"/api/health"`))
  })

  for (const [what, isSilent] of [
    ['away', false],
    ['silent', true],
  ] as const)
    it(`delay nothing and are dropped while the collector is ${what}, with one line`, async ({ program }) => {
      const server = await startHttpServer(() => undefined)
      if (!isSilent) await server.stop()
      const life = await program.serve({
        OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
        OTEL_BSP_SCHEDULE_DELAY: '50',
      })

      for (let i = 0; i < 20; i++) assert.equal((await life.request('/api/health')).status, 200)
      const { code, stderr } = await life.end()
      if (isSilent) await server.stop()

      assert.equal(code, 0)
      assert.equal(stderr.match(/the collector does not accept traces; they are dropped/g)?.length, 1, stderr)
    })

  it('are loaded only if they are wanted', () => {
    const has = (file: string) =>
      readFileSync(new URL(`../../dist/${file}.cjs`, import.meta.url), 'utf8').includes('BatchSpanProcessor')

    assert.deepEqual([has('server'), has('client'), has('open-telemetry')], [false, false, true])
  })
})
