import type { Client, ClientOptions } from '../../../packages/client/client.ts'
import type { GatehouseError } from '../../../packages/client/error.ts'
import type { Checked, createVerifier, RequestLike, Verifier } from '../../../packages/server/verifier.ts'

/** The modules that a product imports from the package. */
interface Modules {
  readonly createClient: (options: ClientOptions) => Client<Api>
  readonly GatehouseError: typeof GatehouseError
  readonly createVerifier: typeof createVerifier
}

export interface Place {
  readonly gatehouse: string
  /** A server that is not Gatehouse. */
  readonly stranger: string
  /** A server that never responds. */
  readonly silent: string
  readonly token: string
  readonly cookie: string
  readonly clientId: string
  readonly clientSecret: string
}

interface Api {
  readonly get: {
    '/api/health': { input: object; output: { version: string } }
    '/api/auth/token': { input: object; output: { token: string } }
  }
  readonly post: {
    '/api/submit_feedback': { input: { type: string; content: string }; output: { id: string } }
    '/api/list_notifications': { input: { page_size?: number }; output: { total: number } }
    '/api/read_notification': { input: { id: string }; output: object }
    '/api/auth/sign-out': { input: object; output: object }
    '/api/create_personal_token': {
      input: { name: string; scopes: string[]; expires_in_days: number }
      output: { token: string }
    }
  }
}

const PATIENCE_MILLISECONDS = 120_000

/** Does what docs/api.md says of `gatehouse/client`, with nothing that one platform lacks. */
export async function useClient({ createClient, GatehouseError }: Modules, place: Place) {
  const bookmarks: boolean[] = []
  const client = createClient({
    baseUrl: place.gatehouse,
    token: async () => place.token,
    fetch: (input, init) => {
      bookmarks.push(new Headers(init?.headers).has('x-db-meta-bookmark'))
      return fetch(input, init)
    },
  })
  const elsewhere = createClient({ baseUrl: place.stranger, token: place.token })
  const hasty = createClient({ baseUrl: place.silent, token: place.token, timeoutMilliseconds: 50 })
  const refusalOf = (call: Promise<unknown>) =>
    call.then(
      () => 'not refused',
      (error) => {
        if (!(error instanceof GatehouseError)) return String(error)
        return [error.status, error.code, ...error.issues.map(({ path }) => path)].join(' ')
      },
    )
  const { id } = await client.post('/api/submit_feedback', { type: 'idea', content: 'More of it' })
  const { total } = await client.post('/api/list_notifications', { page_size: 10 })
  return {
    ...{ sent: id !== '', total, bookmarks },
    refused: await refusalOf(client.post('/api/submit_feedback', { type: 'idea', content: '' })),
    retriedRead: (await elsewhere.post('/api/list_notifications')).total,
    retriedWrite: (await elsewhere.post('/api/submit_feedback', { type: 'idea', content: 'More' })).id,
    lostWrite: await refusalOf(elsewhere.post('/api/read_notification', { id: 'one' })),
    late: await refusalOf(hasty.post('/api/read_notification', { id: 'one' })),
    unreadable: await refusalOf(elsewhere.get('/api/health')),
  }
}

/** Does what docs/api.md says of `gatehouse/server`; ends the session. */
export async function useVerifier({ createClient, createVerifier }: Modules, place: Place) {
  const { gatehouse: issuer, clientId, clientSecret, token } = place
  const client = createClient({ baseUrl: issuer, token })
  const signed = (await client.get('/api/auth/token')).token
  const read = 'operations:notifications:read'
  const made = { name: 'Nightly report', scopes: [read], expires_in_days: 90 }
  const personal = (await client.post('/api/create_personal_token', made)).token
  let isFollowing: () => void = () => undefined
  const following = new Promise<void>((resolve) => {
    isFollowing = resolve
  })
  const onConnection = (state: string) => state === 'following' && isFollowing()
  const verifier = createVerifier({ issuer, clientId, clientSecret, onConnection })
  const alone = createVerifier({ issuer, address: place.stranger })
  await following
  const facts = {
    cookie: await decided(verifier, { headers: new Headers({ cookie: place.cookie }) }),
    session: await decided(verifier, bearer(token)),
    signed: await decided(verifier, bearer(signed)),
    withoutScope: await decided(verifier, bearer(personal)),
    personal: await decided(verifier, bearer(personal), { scope: read }),
    otherScope: await decided(verifier, bearer(personal), { scope: 'operations:feedback:write' }),
    bad: (await verifier.verify(bearer('ghs_of-nobody'))) === undefined,
    unreachable: said(await alone.check(bearer(token))),
    signIn: verifier.signInUrl(`${issuer}/reports`).replace(issuer, ''),
  }
  await client.post('/api/auth/sign-out')
  const giveUpAt = performance.now() + PATIENCE_MILLISECONDS
  while ((await verifier.verify(bearer(signed))) !== undefined && performance.now() < giveUpAt)
    await new Promise<void>((resolve) => setTimeout(resolve, 5))
  const ended = await decided(verifier, bearer(token))
  verifier.close()
  alone.close()
  return { ...facts, ended }
}

/** A machine with too much to do may not respond within the verifier's five seconds. */
async function decided(verifier: Verifier, ...request: Parameters<Verifier['check']>): Promise<string> {
  const giveUpAt = performance.now() + PATIENCE_MILLISECONDS
  for (;;) {
    const reply = said(await verifier.check(...request))
    if (reply !== 'UNAVAILABLE' || performance.now() > giveUpAt) return reply
  }
}

function said(checked: Checked): string {
  return checked.ok ? `${checked.caller.kind} of ${checked.caller.email}` : checked.code
}

/** Reads headers as Node has them. */
function bearer(token: string): RequestLike {
  return { headers: { authorization: `Bearer ${token}` } }
}
