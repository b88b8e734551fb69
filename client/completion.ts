import type { ParseArgsOptionsConfig } from 'node:util'
import { listNames } from './credentials/credentials.ts'
import type { ScopeInWords } from './scopes.ts'
import { shells } from './shells.ts'
import { EXIT, type ExitCode, usage } from './terminal/failure.ts'
import { type Io, print } from './terminal/io.ts'

export function printCompletion(io: Io, args: readonly string[]): ExitCode {
  const script = args.length === 1 ? shells[args[0] ?? ''] : undefined
  if (script === undefined) throw usage('completion needs one of bash, zsh, fish')
  print(io, script)
  return EXIT.done
}

/** The words that can complete the one at the cursor; the scripts pass every word up to it. */
export interface Vocabulary {
  readonly commands: readonly string[]
  readonly options: Readonly<Record<string, ParseArgsOptionsConfig>>
  readonly scopes: readonly ScopeInWords[]
}

export function printCandidates(io: Io, words: readonly string[], vocabulary: Vocabulary): ExitCode {
  const current = words.at(-1) ?? ''
  const candidates = candidatesFor(io, words, vocabulary).filter((candidate) => candidate.startsWith(current))
  if (candidates.length > 0) print(io, candidates.join('\n'))
  return EXIT.done
}

function candidatesFor(io: Io, words: readonly string[], vocabulary: Vocabulary): readonly string[] {
  const [command = '', ...rest] = words
  if (rest.length === 0) return vocabulary.commands

  const current = rest.at(-1) ?? ''
  const options = vocabulary.options[command] ?? {}
  if (current.startsWith('-')) return ['--help', ...Object.keys(options).map((name) => `--${name}`)]

  const subject = subjectOf(command, rest, options)
  if (subject === 'name' && command !== 'connect') return listNames(io)
  if (subject === 'scopes') return scopeLists(current, vocabulary.scopes)
  return fixed[subject] ?? []
}

const fixed: Readonly<Record<string, readonly string[]>> = {
  shell: ['bash', 'zsh', 'fish'],
  server: ['https://'],
  method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  path: ['/api/'],
}

const places: Readonly<Record<string, readonly string[]>> = {
  connect: ['name', 'server', 'scopes'],
  status: ['name'],
  disconnect: ['name'],
  request: ['name', 'method', 'path'],
  mcp: ['name'],
  events: ['name'],
  completion: ['shell'],
}

/**
 * The argument under the cursor: by the flag before it, else by its position among the words that are not
 * flags.
 */
function subjectOf(command: string, words: readonly string[], options: ParseArgsOptionsConfig): string {
  const before = words.at(-2) ?? ''
  if (takesValue(before, options)) return before.replace(/^--/, '')

  const placed = words
    .slice(0, -1)
    .filter((word, at) => !word.startsWith('-') && !takesValue(words[at - 1] ?? '', options))
  return places[command]?.[placed.length] ?? ''
}

function takesValue(word: string, options: ParseArgsOptionsConfig): boolean {
  return Object.entries(options).some(
    ([name, { type, short }]) =>
      type === 'string' && (word === `--${name}` || (short !== undefined && word === `-${short}`)),
  )
}

/** `a:b:read,a:` completes its last scope, and does not offer one twice. */
function scopeLists(current: string, scopes: readonly ScopeInWords[]): string[] {
  const chosen = current.split(',').slice(0, -1)
  const prefix = chosen.map((scope) => `${scope},`).join('')
  return scopes.filter(({ scope }) => !chosen.includes(scope)).map(({ scope }) => `${prefix}${scope}`)
}
