import { it } from 'vitest'
import { insertPeople, preparedFolder, sessionToken, startFloor, startOurs } from '../../bench/ours.ts'
import { assertSameResponse } from '../../bench/servers/same-response.ts'

it('the server that a session check is compared with returns what the program returns', async () => {
  await using folder = await preparedFolder()
  insertPeople(folder, 2)
  await using ours = await startOurs(folder)
  await using floor = await startFloor(folder)
  const headers = { cookie: `session=${sessionToken(1)}` }

  await assertSameResponse(
    { server: ours, path: '/api/auth/get-session', headers },
    { server: floor, path: '/', headers },
  )
})
