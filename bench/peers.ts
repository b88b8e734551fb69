import { createHash, createHmac } from 'node:crypto'
import { type Environment, type Server, startServer } from './server.ts'

const SECRET = 'a secret for the benchmark that is long enough'

/** Either as its documentation begins, on a SQLite file of its own. */
export function startPeer(name: 'better-auth' | 'oidc-provider', env: Environment): Promise<Server> {
  const program = [process.execPath, `bench/peers/${name}.js`] as const
  return startServer({ program, env: { SECRET, ...env }, readyPath: '/ready' })
}

/** Better Auth's cookie is the token and an HMAC over it. */
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
