import { parseArgs } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import { type Command, placeArguments } from '../command.ts'
import { checkName } from '../credentials/credentials.ts'
import { ask, userAgent } from '../http.ts'
import { parseWish } from '../request/arguments.ts'
import { type Caller, openCaller } from '../request/caller.ts'
import { send } from '../request/send.ts'
import { urlOf } from '../request/url.ts'
import { EXIT, type ExitCode, Failure, usage } from '../terminal/failure.ts'
import { type Io, say } from '../terminal/io.ts'
import { parseJson } from '../terminal/json.ts'
import { type Tool, toolsIn } from './tools.ts'

const options = { name: { type: 'string' } } as const

export const mcp: Command = {
  options,
  async run(args, io) {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const { name } = placeArguments(['name'], values, positionals)
    if (name === undefined) throw usage('mcp needs NAME')
    return serve(io, checkName(name))
  },
}

async function serve(io: Io, name: string): Promise<ExitCode> {
  const caller = await openCaller(io, wishFor(name, 'GET', '/api/openapi.json'))
  const [description, allows] = await Promise.all([readDescription(io, caller.server), allowedBy(io, caller)])
  const tools = toolsIn(description, allows)
  say(io, `gatehouse: ${tools.length} tools of ${caller.server} for an assistant; ends with standard input`)
  const { serveTools } = await import('./serve.ts')
  const { stdin, stdout, interrupted } = io
  await serveTools({
    name: `gatehouse ${name}`,
    version: manifest.version,
    instructions: `Routes of ${caller.server}. Times are milliseconds since 1970; lists have items and total.`,
    tools,
    call: (tool, input) => call(io, name, tool, input),
    ...{ stdin, stdout, interrupted },
  })
  return EXIT.done
}

/** With a token renewed when it has to be, and with the connection's bookmark, like any other request. */
async function call(io: Io, name: string, { method, path }: Tool, input: Readonly<Record<string, unknown>>) {
  try {
    const wish = wishFor(name, method, path)
    const caller = await openCaller(io, wish)
    const query = method === 'GET' ? Object.entries(input).map(([key, value]) => [key, String(value)]) : []
    const url = urlOf(caller.server, path, Object.fromEntries(query))
    const body = method === 'GET' ? undefined : JSON.stringify(input)
    const { answer } = await send(io, wish, caller, { url, body })
    const text = answer.body.toString()
    if (answer.status >= 200 && answer.status < 300) return { isRefused: false, text }
    return { isRefused: true, text: `${answer.status} ${text}` }
  } catch (error) {
    if (error instanceof Failure) return { isRefused: true, text: error.message }
    throw error
  }
}

function wishFor(name: string, method: string, path: string) {
  return parseWish([name, method, path])
}

async function readDescription(io: Io, server: string): Promise<unknown> {
  const response = await ask(io, new URL('/api/openapi.json', server), {
    headers: { 'user-agent': userAgent },
  })
  const description = response.ok ? parseJson(await response.text()) : undefined
  if (description === undefined) throw new Failure('refused', `${server} does not describe its routes`)
  return description
}

/** By the connection's own scopes; a token that was given is looked at by the server. */
async function allowedBy(io: Io, { server, token, connection }: Caller): Promise<(scope: string) => boolean> {
  if (connection && connection.scopes.length > 0) return (scope) => connection.scopes.includes(scope)
  const headers = { authorization: `Bearer ${token}`, 'user-agent': userAgent }
  const response = await ask(io, new URL('/api/verify', server), { headers })
  if (!response.ok) throw new Failure('authorizationNeeded', `${server} does not accept the given token`)
  if (response.headers.get('x-auth-kind') === 'session') return () => true
  const scopes = response.headers.get('x-auth-scopes')?.split(' ') ?? []
  return (scope) => scopes.includes(scope)
}
