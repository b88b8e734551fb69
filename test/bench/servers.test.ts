import { it } from 'vitest'
import { assertSameBody, assertSameResponse } from '../../bench/measures/same-response.ts'
import {
  insertPeople,
  preparedFolder,
  sessionToken,
  startFloor,
  startHandWritten,
  startOurs,
} from '../../bench/ours.ts'

it('the servers that a session check is compared with return what the program returns', async () => {
  await using folder = await preparedFolder()
  insertPeople(folder, 2)
  await using ours = await startOurs(folder)
  await using floor = await startFloor(folder)
  await using handWritten = await startHandWritten(folder)
  const headers = { cookie: `session=${sessionToken(1)}` }
  const check = { server: ours, path: '/api/auth/get-session', headers }

  await assertSameResponse(check, { server: floor, path: '/', headers })
  await assertSameBody(check, { server: handWritten, path: '/session', headers })
})
