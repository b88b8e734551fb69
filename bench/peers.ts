import { answersTo, jsonRequest } from './load/load.ts'
import { PASSWORD } from './ours.ts'
import { type Environment, type Server, startServer } from './server.ts'

const SECRET = 'a secret for the benchmark that is long enough'

/** Either as its documentation begins, on a SQLite file of its own. */
export function startPeer(name: 'better-auth' | 'oidc-provider', env: Environment): Promise<Server> {
  const program = [process.execPath, `bench/peers/${name}.js`] as const
  return startServer({ program, env: { SECRET, ...env }, readyPath: '/ready' })
}

/** The cookies of each of so many people, who sign up with the server. */
export async function signedUpCookies({ port }: Server, people: number): Promise<(i: number) => string> {
  const signedUp = await answersTo(port, people, (i) => {
    const person = { email: `person-${i}@example.com`, password: PASSWORD, name: `Person ${i}` }
    return jsonRequest('/api/auth/sign-up/email', person)
  })
  return (i) => signedUp[i]?.cookie ?? ''
}
