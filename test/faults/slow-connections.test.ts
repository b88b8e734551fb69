import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { Installation } from '../processes/installation.ts'

const LATEST_MILLISECONDS = 15_000

describe('a connection that drips', () => {
  it('its header letter by letter is cut off, and the others never notice', async () => {
    await using program = new Installation()
    const { url } = await program.serve()
    const drips = Array.from({ length: 50 }, () => dripping(Number(new URL(url).port)))

    const health = await fetch(`${url}/api/health`)
    const lives = await Promise.all(drips)

    assert.equal(health.status, 200)
    for (const milliseconds of lives)
      assert.ok(milliseconds < LATEST_MILLISECONDS, `it lived ${milliseconds} ms`)
  })
})

/** Answers how long the server bore it. */
async function dripping(port: number): Promise<number> {
  const started = performance.now()
  const socket = connect(port, '127.0.0.1')
  socket.resume()
  socket.on('error', () => socket.destroy())
  await once(socket, 'connect')
  socket.write('GET /api/health HTTP/1.1\r\nhost: localhost\r\nx-drip: ')
  const drip = setInterval(() => socket.write('.'), 500)
  await once(socket, 'close')
  clearInterval(drip)
  return performance.now() - started
}
