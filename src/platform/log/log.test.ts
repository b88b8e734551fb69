import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { describe, it } from 'vitest'
import { inRequest } from '../../database/current-request.ts'
import { openLog } from './log.ts'

describe('log', () => {
  it('writes one JSON line with level, time and fields', async () => {
    const { lines, output } = captured()

    const log = await openLog({ logLevel: 'info', logFormat: 'json' }, output)
    log.info({ route: '/api/health' }, 'answered')

    const line = JSON.parse(lines[0] ?? '')
    assert.equal(line.level, 'info')
    assert.equal(line.msg, 'answered')
    assert.equal(line.route, '/api/health')
    assert.ok(Date.parse(line.time))
  })

  it('writes nothing below its level', async () => {
    const { lines, output } = captured()

    const log = await openLog({ logLevel: 'warn', logFormat: 'json' }, output)
    log.info({}, 'small talk')

    assert.equal(lines.length, 0)
  })

  it('a child repeats its fields', async () => {
    const { lines, output } = captured()

    const log = await openLog({ logLevel: 'info', logFormat: 'json' }, output)
    log.child({ request_id: 'r1' }).warn({}, 'slow')

    assert.equal(JSON.parse(lines[0] ?? '').request_id, 'r1')
  })

  it('names the request in each line written for it', async () => {
    const { lines, output } = captured()
    const log = await openLog({ logLevel: 'info', logFormat: 'json' }, output)

    inRequest({ id: 'r-1' }, () => log.info({}, 'for a request'))
    log.info({}, 'for nobody')

    assert.equal(JSON.parse(lines[0] ?? '').requestId, 'r-1')
    assert.equal('requestId' in JSON.parse(lines[1] ?? ''), false)
  })

  for (const logFormat of ['json', 'pretty'] as const) {
    it(`never shows passwords, tokens, codes or keys (${logFormat})`, async () => {
      const { lines, output } = captured()

      const log = await openLog({ logLevel: 'info', logFormat }, output)
      log.info(
        {
          password: 'hunter2',
          body: { newPassword: 'hunter2', otp: 'hunter2', kept: 'visible' },
          headers: [{ authorization: 'hunter2', cookie: 'hunter2', 'set-auth-token': 'hunter2' }],
          settings: { provider: { client_secret: 'hunter2', api_key: 'hunter2', user_code: 'hunter2' } },
        },
        'a careless line',
      )

      assert.doesNotMatch(lines.join(''), /hunter2/)
      assert.match(lines.join(''), /visible/)
    })
  }

  it('shows an error with its stack and cause', async () => {
    const { lines, output } = captured()

    const error = new Error('outer', { cause: new Error('inner') })
    const log = await openLog({ logLevel: 'info', logFormat: 'json' }, output)
    log.error({ error }, 'failed')

    assert.match(lines[0] ?? '', /outer.*inner/)
    assert.match(lines[0] ?? '', /log\.test\.ts/)
  })
})

function captured() {
  const lines: string[] = []
  const output = new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      lines.push(line)
      done()
    },
  })
  return { lines, output }
}
