import assert from 'node:assert/strict'
import { it } from 'vitest'
import { folderOf, sessionToken, startFloor, startOurs } from '../../bench/ours.ts'

const HEADERS = { cookie: `session=${sessionToken(1)}` }

it('the server that a session check is compared with returns what the program returns', async () => {
  await using folder = await folderOf(2)
  await using ours = await startOurs(folder)
  await using floor = await startFloor(folder)

  const check = await answerOf(`http://127.0.0.1:${ours.port}/api/auth/get-session`)

  assert.match(JSON.stringify(check.body), /person-1@example.com/)
  assert.deepEqual(await answerOf(`http://127.0.0.1:${floor.port}/`), check)
})

/** Without what differs from response to response. */
async function answerOf(address: string) {
  const response = await fetch(address, { headers: HEADERS })
  const body: unknown = await response.json()
  return { status: response.status, headers: [...response.headers].map(withoutChance), body }
}

function withoutChance([name, value]: [string, string]): readonly [string, string] {
  return name === 'date' || name === 'x-request-id' ? [name, ''] : [name, value.replace(/meta(=|%3D)\d+\.\d+/, 'meta')]
}
