import type { Command } from './command.ts'
import { printCandidates, printCompletion, type Vocabulary } from './completion.ts'
import { printScopes, type ScopeInWords } from './scopes.ts'
import { EXIT, type ExitCode, Failure, usage } from './terminal/failure.ts'
import { type Io, say } from './terminal/io.ts'

/** The parts of the surrounding program that the client needs. */
export interface Program {
  /** The name of every command, including the operator's. */
  readonly commands: readonly string[]
  readonly listScopes: () => Promise<readonly ScopeInWords[]>
}

/** The client's commands; each is loaded only when it runs. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  connect: async () => (await import('./connect/connect.ts')).connect,
  status: async () => (await import('./status.ts')).status,
  disconnect: async () => (await import('./disconnect.ts')).disconnect,
  request: async () => (await import('./request/request.ts')).request,
  events: async () => (await import('./events/events.ts')).events,
  mcp: async () => (await import('./mcp/mcp.ts')).mcp,
}

export async function runClient(argv: readonly string[], io: Io, program: Program): Promise<ExitCode> {
  try {
    return await run(argv, io, program)
  } catch (error) {
    return reportFailure(io, asFailure(error, argv))
  }
}

async function run([name = '', ...args]: readonly string[], io: Io, program: Program): Promise<ExitCode> {
  if (name === 'scopes') return runScopes(args, io, program)
  if (name === 'completion') return runCompletion(args, io, program)
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!load) throw usage(`there is no command "${name}"; \`gatehouse --help\` lists them`)

  const command = await load()
  return command.run(args, io)
}

async function runScopes(args: readonly string[], io: Io, program: Program): Promise<ExitCode> {
  const odd = args.find((arg) => arg !== '--json')
  if (odd !== undefined) throw usage(`unknown option "${odd}" for scopes`)

  printScopes(io, await program.listScopes(), { json: args.includes('--json') })
  return EXIT.done
}

async function runCompletion(args: readonly string[], io: Io, program: Program): Promise<ExitCode> {
  if (args[0] !== '--candidates') return printCompletion(io, args)
  return printCandidates(io, args.slice(2), await vocabularyOf(program))
}

async function vocabularyOf({ commands: names, listScopes }: Program): Promise<Vocabulary> {
  const loaded = await Promise.all(
    Object.entries(commands).map(async ([name, load]) => [name, (await load()).options] as const),
  )
  return { commands: names, options: Object.fromEntries(loaded), scopes: await listScopes() }
}

function reportFailure(io: Io, failure: Failure): ExitCode {
  if (io.interrupted.aborted) {
    say(io, 'gatehouse: cancelled')
    return EXIT.interrupted
  }
  say(io, `gatehouse: ${failure.message}`)
  return failure.exitCode
}

function asFailure(error: unknown, [name]: readonly string[]): Failure {
  if (error instanceof Failure) return error
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
    // Node adds advice about words that begin with a dash, in further sentences and lines.
    return usage(`${error.message.replace(/\.\s.*$/s, '')}. See gatehouse ${name} --help.`)
  }
  if (error instanceof Error && 'syscall' in error) return new Failure('refused', error.message)
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return new Failure('refused', `internal error: ${words}`)
}
