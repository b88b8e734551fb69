import { documentFolder } from '../../../config/package-folder.ts'
import { guessFor } from '../../../rules/misspelling.ts'
import type { Command } from './command.ts'

export function describeProgram(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return `gatehouse: accounts, sessions and operations in one program

Usage: gatehouse COMMAND [options]

${lines.join('\n')}

Run gatehouse COMMAND --help for details, gatehouse --version for the version.
Documents: ${documentFolder()}`
}

export function describeCommand({ summary, usage }: Command): string {
  return `${summary}.\n\nUsage: ${usage.replaceAll('docs/', `${documentFolder()}/`)}`
}

export function suggestionFor(name: string, commands: readonly Command[]): string {
  const guess = guessFor(
    name,
    commands.map((command) => command.name),
  )
  const meant = guess === undefined ? '' : ` Did you mean "${guess}"?`
  return `gatehouse: there is no command "${name}".${meant} See gatehouse --help.`
}
