import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { openMetrics } from './metrics.ts'

describe('metrics', () => {
  it('are read once for all who request them meanwhile, and anew for who comes later', async () => {
    const metrics = openMetrics('service')
    let reads = 0
    metrics.gauge('reads', () => ++reads)

    const texts = await Promise.all(Array.from({ length: 20 }, () => metrics.text()))
    const later = await metrics.text()

    assert.equal(new Set(texts).size, 1)
    assert.match(texts[0] ?? '', /gatehouse_reads 1\n/)
    assert.match(later, /gatehouse_reads 2\n/)
  })

  it('shows requests, stores, counts and gauges in the text form of Prometheus', async () => {
    const metrics = openMetrics('service')
    let waiting = 0
    metrics.gauge('password_queue', () => waiting)

    metrics.requestTook(0.003, '/api/health', 'GET', 200)
    metrics.storeTook(0.0002, 'meta')
    metrics.counter('refusals', 'code', [])
    for (let i = 0; i < 2; i++) metrics.count('refusals', 'UNAUTHORIZED')
    metrics.count('mails', 'sent')
    waiting = 7

    const text = await metrics.text()
    for (const line of [
      'gatehouse_request_seconds_count{route="/api/health",method="GET",status="200"} 1',
      'gatehouse_store_seconds_count{store="meta"} 1',
      'gatehouse_refusals_total{code="UNAUTHORIZED"} 2',
      'gatehouse_mails_total{kind="sent"} 1',
      'gatehouse_password_queue 7',
    ])
      assert.ok(text.includes(line), line)
    assert.match(text, /gatehouse_request_seconds_sum\{[^}]*\} 0.003/)
    for (const [bound, count] of [
      ['0.0025', 0],
      ['0.005', 1],
      ['\\+Inf', 1],
    ] as const)
      assert.match(text, new RegExp(`gatehouse_request_seconds_bucket\\{le="${bound}"[^}]*\\} ${count}`))
    assert.doesNotMatch(text, /process_cpu/)
  })

  it('two services in one process count apart', async () => {
    const [first, second] = [openMetrics('service'), openMetrics('service')]

    first.count('mails', 'sent')

    assert.doesNotMatch(await second.text(), /gatehouse_mails_total/)
  })

  it('shows the process if asked to', async () => {
    assert.match(await openMetrics('service-and-process').text(), /process_cpu_seconds_total/)
  })
})
