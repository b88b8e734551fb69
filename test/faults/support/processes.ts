import { command, schemaUrl } from '../../postgres/databases.ts'
import type { PostgresServer } from '../../postgres/server.ts'
import { Installation } from '../../processes/installation.ts'
import { Person } from '../../service/people.ts'

export interface ServingProcess {
  readonly url: string
  request(path: string, init?: RequestInit): Promise<Response>
}

export interface Fleet {
  readonly administrator: { readonly email: string; readonly password: string }
  start(replicas: readonly PostgresServer[]): Promise<ServingProcess>
  [Symbol.asyncDispose](): Promise<void>
}

const SHARD = 'apac-1'

/** The real program, prepared on a server, to be started several times. */
export async function prepareFleet(primary: PostgresServer): Promise<Fleet> {
  await using opening = new AsyncDisposableStack()
  const installation = opening.use(new Installation())
  await command(primary.url(), `create schema "${SHARD}"`)
  const stores = (replicas: readonly PostgresServer[]) => ({
    DATABASE_URL: primary.url(),
    DATABASE_REPLICA_URLS: replicas.map((replica) => replica.url()).join(','),
    SHARDS: `${SHARD}:apac=${[primary, ...replicas].map((server) => schemaUrl(server.url(), SHARD)).join('|')}`,
  })
  const { stdout, stderr } = await installation.run(['prepare'], stores([]))
  const [, email = '', password = ''] = /^Administrator: (.*)\nPassword: (.*)$/m.exec(stdout) ?? []
  if (password === '') throw new Error(`preparation printed no password: ${stderr}`)
  const opened = opening.move()
  return {
    administrator: { email, password },
    async start(replicas) {
      const { url } = await installation.serve(stores(replicas))
      return { url, request: (path, init) => fetch(`${url}${path}`, { redirect: 'manual', ...init }) }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** The same browser, sent to another process by the load balancer. */
export function elsewhere(person: Person, process: ServingProcess): Person {
  const same = new Person(process, person.email, person.password)
  for (const [name, value] of person.cookies) same.cookies.set(name, value)
  return same
}
