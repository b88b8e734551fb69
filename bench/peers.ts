import { createHash, createHmac } from 'node:crypto'
import { type Server, startServer } from './server.ts'

const SECRET = 'a secret for the benchmark that is long enough'

type Values = Readonly<Record<string, string>>

/** Better Auth as its documentation begins, on a SQLite file of its own. */
export function startBetterAuth(file: string, users: number, env: Values = {}): Promise<Server> {
  return startServer({
    command: process.execPath,
    args: ['bench/peers/better-auth.js'],
    env: { DATABASE_FILE: file, USERS: String(users), SECRET, ...env },
    readyPath: '/ready',
  })
}

/** Its cookie is the token and an HMAC over it. */
export function betterAuthCookie(number: number): string {
  const token = createHash('sha256').update(`session ${number}`).digest('base64url')
  const signature = createHmac('sha256', SECRET).update(token).digest('base64')
  return `better-auth.session_token=${encodeURIComponent(`${token}.${signature}`)}`
}

/** Cookies that its response to each user's first request sets, in addition to the token. */
export async function cachedCookies({ port }: Server, users: number): Promise<readonly string[]> {
  const cookies: string[] = []
  for (let i = 0; i < users; i++) {
    const token = betterAuthCookie(i)
    const answer = await fetch(`http://127.0.0.1:${port}/api/auth/get-session`, { headers: { cookie: token } })
    const set = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '')
    const data = set.find((cookie) => cookie.startsWith('better-auth.session_data='))
    if (data === undefined) throw new Error('Better Auth does not cache the session in a cookie')
    if (!(await answer.text()).includes(`"person-${i}@example.com"`)) throw new Error('not the user asked for')
    cookies.push(`${token}; ${data}`)
  }
  return cookies
}

/** It writes the refresh tokens and codes that it has made into the file. */
export function startOidcProvider(file: string, made: string, env: Values): Promise<Server> {
  return startServer({
    command: process.execPath,
    args: ['bench/peers/oidc-provider.js'],
    env: { DATABASE_FILE: file, TOKENS_FILE: made, ...env },
    readyPath: '/ready',
  })
}
