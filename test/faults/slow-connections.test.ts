import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'vitest'
import { Installation } from '../processes/installation.ts'

describe('a connection that sends its header letter by letter', () => {
  it('is closed, and delays no other', async () => {
    await using program = new Installation()
    const { url } = await program.serve()
    const drips = Array.from({ length: 50 }, () => dripping(Number(new URL(url).port)))

    const health = await fetch(`${url}/api/health`)
    // Each goes on for as long as the server bears it.
    const answers = await Promise.all(drips)

    assert.equal(health.status, 200)
    for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 408 /)
  })
})

/** Sends without an end, and returns what the server answered when it had enough. */
async function dripping(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (data) => {
    answer += data
  })
  socket.on('error', () => socket.destroy())
  await once(socket, 'connect')
  socket.write('GET /api/health HTTP/1.1\r\nhost: localhost\r\nx-drip: ')
  const drip = setInterval(() => socket.write('.'), 500)
  await once(socket, 'close')
  clearInterval(drip)
  return answer
}
