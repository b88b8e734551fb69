import { parseArgs } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import { type Command, placeArguments } from '../command.ts'
import { checkName } from '../credentials/credentials.ts'
import { ask, readAtMost, userAgent } from '../http.ts'
import { type ApiCall, parseCall } from '../request/arguments.ts'
import { type Caller, openCaller } from '../request/caller.ts'
import { send } from '../request/send.ts'
import { urlOf } from '../request/url.ts'
import { parseSeconds } from '../seconds.ts'
import { EXIT, type ExitCode, Failure, usage } from '../terminal/failure.ts'
import { type Io, say } from '../terminal/io.ts'
import { parseJson } from '../terminal/json.ts'
import { instructionsFor, LONGEST_ANSWER, type Result, resultOf } from './results.ts'
import { queryOf, type Tool, toolsIn } from './tools.ts'

type Input = Readonly<Record<string, unknown>>

const options = { name: { type: 'string' }, timeout: { type: 'string' } } as const

/** Assistants give up after a minute. */
const TIMEOUT_SECONDS = 50
/** Many times what a Gatehouse server describes. */
const LONGEST_DESCRIPTION = 16 * 1024 * 1024

export const mcp: Command = {
  options,
  async run(args, io) {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const { name } = placeArguments(['name'], values, positionals)
    if (name === undefined) throw usage('mcp needs NAME')
    return serve(io, checkName(name), values.timeout === undefined ? TIMEOUT_SECONDS : parseSeconds(values.timeout))
  },
}

async function serve(io: Io, name: string, seconds: number): Promise<ExitCode> {
  const { caller, tools } = await within(io, TIMEOUT_SECONDS, (limited) => toolsOf(limited, name))
  say(io, `gatehouse: ${tools.length} tools of ${caller.server} for an assistant; ends with standard input`)
  const { serveTools } = await import('./serve.ts')
  const { stdin, stdout, interrupted } = io
  const end = await serveTools({
    name: `gatehouse ${name}`,
    version: manifest.version,
    instructions: instructionsFor(caller.server),
    tools,
    call: (tool, input, cancelled) => {
      const interrupted = AbortSignal.any([io.interrupted, cancelled])
      return answered(() =>
        within({ ...io, interrupted }, seconds, (limited) =>
          call(limited, callFor(name, tool.method, tool.path, seconds), tool, input),
        ),
      )
    },
    ...{ stdin, stdout, interrupted },
  })
  if (end === 'line too long') throw new Failure('refused', 'the assistant sent a line of more than 10 MiB')
  return EXIT.done
}

async function toolsOf(io: Io, name: string) {
  const caller = await openCaller(io, callFor(name, 'GET', '/api/openapi.json', TIMEOUT_SECONDS))
  const [description, allows] = await Promise.all([readDescription(io, caller.server), allowedBy(io, caller)])
  return { caller, tools: toolsIn(description, allows) }
}

/** A server that hangs must not make the assistant wait for ever. */
async function within<T>(io: Io, seconds: number, work: (limited: Io) => Promise<T>): Promise<T> {
  const patience = AbortSignal.timeout(seconds * 1000)
  const interrupted = AbortSignal.any([io.interrupted, patience])
  try {
    return await work({ ...io, interrupted })
  } catch (error) {
    if (io.interrupted.aborted || !patience.aborted) throw error
    const words = `no response within ${seconds} s; what was sent may have been carried out`
    throw new Failure('refused', words, { cause: error })
  }
}

/** The assistant gets a failure as text. */
async function answered(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Failure) return { isRefused: true, text: error.message }
    throw error
  }
}

/** Renews the token if necessary and uses the connection's bookmark, like any other request. */
async function call(io: Io, apiCall: ApiCall, { method, path }: Tool, input: Input): Promise<Result> {
  const caller = await openCaller(io, apiCall)
  const url = urlOf(caller.server, path, method === 'GET' ? queryOf(input) : {})
  const body = method === 'GET' ? undefined : JSON.stringify(input)
  const { answer } = await send(io, apiCall, caller, { url, body, longestAnswer: LONGEST_ANSWER })
  return resultOf(answer.status, answer.isCut ? undefined : answer.body.toString())
}

function callFor(name: string, method: string, path: string, seconds: number): ApiCall {
  return { ...parseCall(['--', name, method, path]), timeoutSeconds: seconds }
}

async function readDescription(io: Io, server: string): Promise<unknown> {
  const response = await ask(io, new URL('/api/openapi.json', server), {
    headers: { 'user-agent': userAgent },
  })
  const { body, isCut } = await readAtMost(response, LONGEST_DESCRIPTION)
  const description = response.ok && !isCut ? parseJson(body.toString()) : undefined
  if (description === undefined)
    throw new Failure(
      'refused',
      `${server} does not describe its routes (/api/openapi.json); is it a Gatehouse server?`,
    )
  return description
}

/** Checks the connection's own scopes; for a token that was passed in, it asks the server. */
async function allowedBy(io: Io, { server, token, connection }: Caller): Promise<(scope: string) => boolean> {
  if (connection && connection.scopes.length > 0) return (scope) => connection.scopes.includes(scope)
  const headers = { authorization: `Bearer ${token}`, 'user-agent': userAgent }
  const response = await ask(io, new URL('/api/verify', server), { headers })
  if (!response.ok) throw new Failure('authorizationNeeded', `${server} does not accept the given token`)
  if (response.headers.get('x-auth-kind') === 'session') return () => true
  const scopes = response.headers.get('x-auth-scopes')?.split(' ') ?? []
  return (scope) => scopes.includes(scope)
}
