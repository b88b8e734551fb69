import { z } from 'zod'
import { getConnection } from '../../../client/credentials/credentials.ts'
import { Unreachable } from '../../../client/http.ts'
import { parseCall } from '../../../client/request/arguments.ts'
import { openCaller } from '../../../client/request/caller.ts'
import { send } from '../../../client/request/send.ts'
import { urlOf } from '../../../client/request/url.ts'
import { Failure } from '../../../client/terminal/failure.ts'
import type { Io } from '../../../client/terminal/io.ts'
import { onOneLine } from '../../rules/one-line.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { isStorable } from '../../rules/unstorable.ts'
import { CursorLost, EVENTS_AT_ONCE, Feed, MIRRORED_EVENTS, rowsOf, type Source, Unavailable } from './source.ts'

const ORGANIZATIONS = 'admin:organizations:read'
const NEEDED = ['admin:events:read', 'admin:users:read']

const LIST_EVENTS = '/api/admin/list_events'
const READ = {
  users: '/api/admin/read_users',
  organizations: '/api/admin/read_organizations',
  members: '/api/admin/read_members',
}

const LONGEST_WORDS = 300

const List = z.object({ items: z.unknown() })

/** The server of a connection that was made with `gatehouse connect`. */
export function connectionSource(io: Io, name: string): Source {
  const { scopes, server } = getConnection(io, name)
  const missing = NEEDED.filter((scope) => !scopes.includes(scope))
  if (missing.length > 0) throw new OperatorError(`the connection "${name}" lacks ${missing.join(' and ')}`)
  const ask = (path: string, body: object) => asked(io, name, path, body, server)
  return {
    hasOrganizations: scopes.includes(ORGANIZATIONS),
    feedEnd: async () => checked(Feed, await ask(LIST_EVENTS, { after: 'latest' })).next,
    async feed(after, wait_seconds) {
      const query = { after, types: MIRRORED_EVENTS, limit: EVENTS_AT_ONCE, wait_seconds }
      const page = checked(Feed, await ask(LIST_EVENTS, query))
      // A page that neither moves the cursor nor says up to when it is right would be asked for without a pause.
      const isStill = page.next === after && (page.items.length > 0 || page.current_at === undefined)
      if (!page.gap && (isStill || Number(page.next) < Number(after))) throw odd(server)
      // PostgreSQL takes no text with such characters, not even to look for an id.
      if (!readable(server, () => isStorable(page.items))) throw odd(server)
      return page
    },
    async read(table, wanted) {
      const { items } = checked(List, await ask(READ[table], wanted))
      const rows = readable(server, () => rowsOf(table, items))
      const isAgain = 'after' in wanted && wanted.after !== undefined && rows.at(-1)?.id === wanted.after
      if (isAgain) throw odd(server)
      return rows
    },
  }
}

async function asked(io: Io, name: string, path: string, body: object, server: string): Promise<unknown> {
  const call = parseCall([name, 'POST', path])
  try {
    const caller = await openCaller(io, call)
    const { answer } = await send(io, call, caller, { url: urlOf(caller.server, path, {}), body: JSON.stringify(body) })
    if (answer.status === 429 || answer.status >= 500) throw new Unavailable(`${server} returned ${answer.status}`)
    const read: unknown = JSON.parse(answer.body.toString() || 'null')
    if (answer.status === 200) return read
    const { code, message, issues } = Refused.parse(read)
    if (path === LIST_EVENTS && issues.some((issue) => issue.path === 'after')) throw new CursorLost()
    throw new OperatorError(`${server} refused ${path}: ${onOneLine(`${code} ${message}`).slice(0, LONGEST_WORDS)}`)
  } catch (error) {
    throw unreached(error) ?? (error instanceof SyntaxError || error instanceof z.ZodError ? odd(server) : error)
  }
}

const Refused = z.object({
  code: z.string(),
  message: z.string().default(''),
  issues: z.array(z.object({ path: z.unknown() })).default([]),
})

/** Reading changes nothing, so a lost response is no more than that. */
function unreached(error: unknown): Unavailable | undefined {
  const cause = error instanceof Failure && error.cause instanceof Unreachable ? error.cause : error
  return cause instanceof Unreachable ? new Unavailable(cause.message) : undefined
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new OperatorError('the response of the server has not the expected form')
  return parsed.data
}

function readable<T>(server: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    // What is nested too deeply for this stack is so for the product's database, too.
    throw error instanceof z.ZodError || error instanceof RangeError ? odd(server) : error
  }
}

function odd(server: string): OperatorError {
  return new OperatorError(`what ${server} sends is not what a mirror can read`)
}
