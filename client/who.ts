import { parseUser, type User } from './credentials/credentials.ts'
import { ask, readShort, userAgent } from './http.ts'
import { Failure } from './terminal/failure.ts'
import type { Io } from './terminal/io.ts'
import { isObject, parseJson } from './terminal/json.ts'
import { cleanLine } from './terminal/text.ts'

const patienceMilliseconds = 30_000

/** The owner of a token, as the server says; null if the server no longer accepts the token. */
export async function findOwner(io: Io, server: string, accessToken: string): Promise<User | null> {
  const response = await ask(io, new URL('/api/auth/get-session', server), {
    headers: { authorization: `Bearer ${accessToken}`, 'user-agent': userAgent },
    signal: AbortSignal.any([io.interrupted, AbortSignal.timeout(patienceMilliseconds)]),
  })
  const body = parseJson((await readShort(response)).toString())
  if (response.status === 401 || body === null) return null

  const user = response.ok && isObject(body) ? parseUser(body.user) : null
  if (user) return user
  if (response.status === 403 && isObject(body) && typeof body.message === 'string') {
    throw new Failure('refused', `${server} refused: ${cleanLine(body.message)}`)
  }
  throw new Failure('refused', `${server} did not say whose token this is (status ${response.status})`)
}
