import type { Command } from './command.ts'
import * as completion from './completion.ts'
import { EXIT, type ExitCode, Failure, usage } from './failure.ts'
import { type Io, print, say } from './io.ts'
import { printScopes, type ScopeInWords } from './scopes.ts'

/** What the client needs to know of the program that it is part of. */
export interface Program {
  /** Every command's name, also those that are not the client's. */
  readonly commands: readonly string[]
  readonly listScopes: () => Promise<readonly ScopeInWords[]>
}

/** The client's commands; each is loaded only when it runs. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  connect: async () => (await import('./connect.ts')).connect,
  status: async () => (await import('./status.ts')).status,
  disconnect: async () => (await import('./disconnect.ts')).disconnect,
  request: async () => (await import('./request/request.ts')).request,
}

export const clientCommands = [...Object.keys(commands), 'scopes', 'completion']

export async function runClient(argv: readonly string[], io: Io, program: Program): Promise<ExitCode> {
  try {
    return await run(argv, io, program)
  } catch (error) {
    return giveUp(io, error)
  }
}

async function run([name = '', ...args]: readonly string[], io: Io, program: Program): Promise<ExitCode> {
  if (name === 'scopes') return runScopes(args, io, program)
  if (name === 'completion') return runCompletion(args, io, program)
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!load) throw usage(`there is no command "${name}"; \`gatehouse --help\` lists them`)

  const command = await load()
  return asksForHelp(args) ? showHelp(io, command.help) : command.run(args, io)
}

async function runScopes(args: readonly string[], io: Io, program: Program): Promise<ExitCode> {
  if (asksForHelp(args)) return showHelp(io, scopesHelp)
  const odd = args.find((arg) => arg !== '--json')
  if (odd !== undefined) throw usage(`scopes knows no "${odd}"`)

  printScopes(io, await program.listScopes(), { json: args.includes('--json') })
  return EXIT.done
}

const scopesHelp = `Usage: gatehouse scopes [--json]

Lists what a connection can be allowed to do, in words.`

async function runCompletion(args: readonly string[], io: Io, program: Program): Promise<ExitCode> {
  if (args[0] === '--candidates')
    return completion.printCandidates(io, args.slice(2), await vocabularyOf(program))
  return asksForHelp(args) ? showHelp(io, completion.help) : completion.printCompletion(io, args)
}

async function vocabularyOf({ commands: names, listScopes }: Program): Promise<completion.Vocabulary> {
  const loaded = await Promise.all(
    Object.entries(commands).map(async ([name, load]) => [name, (await load()).options] as const),
  )
  return { commands: names, options: Object.fromEntries(loaded), scopes: await listScopes() }
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const flags = end < 0 ? args : args.slice(0, end)
  return flags.includes('--help') || flags.includes('-h')
}

function showHelp(io: Io, help: string): ExitCode {
  print(io, help)
  return EXIT.done
}

function giveUp(io: Io, error: unknown): ExitCode {
  if (io.interrupted.aborted) {
    say(io, 'gatehouse: given up')
    return EXIT.interrupted
  }
  const failure = asFailure(error)
  say(io, `gatehouse: ${failure.message}`)
  return failure.exitCode
}

function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
    return usage(error.message)
  }
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return new Failure('refused', `this is a fault of the client: ${words}`)
}
