import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { describe, it } from 'vitest'
import { inRequest } from '../../database/current-request.ts'
import { openLog } from './log.ts'

describe('log', () => {
  it('writes one JSON line with level, time and fields, those of a child too, and names the request it is for', async () => {
    const { lines, log } = await captured()

    log.info({ route: '/api/health' }, 'answered')
    log.child({ request_id: 'r1' }).warn({}, 'slow')
    inRequest({ id: 'r-1' }, () => log.info({}, 'for a request'))

    const [first, child, forRequest] = lines.map((line) => JSON.parse(line))
    assert.deepEqual([first.level, first.msg, first.route], ['info', 'answered', '/api/health'])
    assert.ok(Date.parse(first.time))
    assert.deepEqual([child.request_id, forRequest.requestId, 'requestId' in first], ['r1', 'r-1', false])
  })

  it('writes nothing below its level', async () => {
    const { lines, log } = await captured({ logLevel: 'warn' })

    log.info({}, 'small talk')

    assert.equal(lines.length, 0)
  })

  for (const logFormat of ['json', 'pretty'] as const) {
    it(`never shows passwords, tokens, codes or keys (${logFormat})`, async () => {
      const { lines, log } = await captured({ logFormat })

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

  for (const logFormat of ['json', 'pretty'] as const) {
    it(`checklist 111: shows nothing that drives a terminal, or looks like another line (${logFormat})`, async () => {
      const ugly = 'a\u001b[31m\u0007\u009b31m\u202eb\u200f\u2028\n[12:00:00] INFO: not said'
      const { lines, log } = await captured({ logFormat })

      log.error({ name: ugly, deep: { [ugly]: [ugly] }, error: new Error(ugly, { cause: ugly }) }, ugly)

      const text = lines.join('')
      assert.doesNotMatch(text, /[^\P{Cc}\n\t]|[\p{Bidi_Control}\u2028\u2029]/u)
      assert.match(text, /not said/)
    })
  }

  it('shows six levels of a value, and says that there are more', async () => {
    const { lines, log } = await captured()

    log.info({ a: { b: { c: { d: { e: { f: { g: 1 } } } } } } }, 'deep')

    assert.deepEqual(JSON.parse(lines[0] ?? '').a, { b: { c: { d: { e: { f: { g: '[deep]' } } } } } })
  })

  it('shows an error with its stack and cause', async () => {
    const { lines, log } = await captured()

    const error = new Error('outer', { cause: new Error('inner') })
    log.error({ error }, 'failed')

    assert.match(lines[0] ?? '', /outer.*inner/)
    assert.match(lines[0] ?? '', /log\.test\.ts/)
  })
})

async function captured(options: Partial<Parameters<typeof openLog>[0]> = {}) {
  const lines: string[] = []
  const output = new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      lines.push(line)
      done()
    },
  })
  return { lines, log: await openLog({ logLevel: 'info', logFormat: 'json', ...options }, output) }
}
