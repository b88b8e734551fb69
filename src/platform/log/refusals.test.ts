import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { MemoryLog } from '../../../test/service/fakes/memory-log.ts'
import { it } from '../../../test/service/it.ts'
import { inRequest } from '../../database/current-request.ts'
import { openMetrics } from '../metrics/metrics.ts'
import { Refusals } from './refusals.ts'

const MINUTE = 60_000

describe('refused requests', () => {
  it('are a line each at debug, and at info one a minute for each code and network with their number', async ({
    mock,
  }) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const log = new MemoryLog()
    const metrics = openMetrics('service')
    const refusals = new Refusals(log, metrics)
    const lines = (at: string) => log.lines.filter(({ level }) => level === at).map(({ fields }) => fields)

    for (let i = 0; i < 3; i++) refusals.note({ code: 'FORBIDDEN', address: `2001:db8::${i + 1}`, path: '/api/x' })
    refusals.note({ code: 'NOT_FOUND', address: '203.0.113.7', path: '/x' })
    refusals.note({ code: 'INVALID_ORIGIN', address: '127.0.0.1', path: '/x', origin: 'https://other.example' })
    mock.timers.tick(MINUTE - 1)
    const before = lines('info').length
    mock.timers.tick(1)
    refusals.note({ code: 'NOT_FOUND', address: '203.0.113.7', path: '/y' })
    mock.timers.tick(MINUTE)

    assert.equal(before, 0)
    assert.deepEqual(lines('info'), [
      { code: 'FORBIDDEN', network: '2001:db8:0:0::/64', count: 3 },
      { code: 'NOT_FOUND', network: '203.0.113.7', count: 1 },
      { code: 'INVALID_ORIGIN', network: 'this-machine', count: 1, origin: 'https://other.example' },
      { code: 'NOT_FOUND', network: '203.0.113.7', count: 1 },
    ])
    assert.deepEqual(lines('debug')[0], { code: 'FORBIDDEN', address: '2001:db8::1', path: '/api/x' })
    assert.equal(lines('debug').length, 6)
    assert.match(await metrics.text(), /gatehouse_refusals_total\{code="FORBIDDEN"\} 3\n/)
  })

  it('name no request in the lines of a minute, which are about many', ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const log = new MemoryLog()
    const refusals = new Refusals(log, openMetrics('service'))

    inRequest({ id: 'one' }, () => {
      refusals.note({ code: 'FORBIDDEN', address: '203.0.113.7' })
      mock.timers.tick(MINUTE)
    })

    assert.deepEqual(
      log.lines.map(({ level, fields }) => [level, fields.requestId]),
      [
        ['debug', 'one'],
        ['info', undefined],
      ],
    )
  })

  it('from more networks than a thousand a minute share a line for each code', () => {
    const log = new MemoryLog()
    const refusals = new Refusals(log, openMetrics('service'))

    for (let i = 0; i < 1_300; i++) refusals.note({ code: 'FORBIDDEN', address: `10.0.${i >> 8}.${i & 255}` })
    refusals.flush()

    const lines = log.lines.filter(({ level }) => level === 'info')
    assert.deepEqual(lines.length, 1_001)
    assert.deepEqual(lines.at(-1)?.fields, { code: 'FORBIDDEN', network: 'others', count: 300 })
  })
})
