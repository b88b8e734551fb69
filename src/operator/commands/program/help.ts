import { editDistance } from '../../../config/names.ts'
import { documentFolder } from '../../../config/package-folder.ts'
import type { Command } from './command.ts'

export function describeProgram(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return `gatehouse: accounts, sessions and operations in one program

Usage: gatehouse COMMAND [options]

${lines.join('\n')}

Run gatehouse COMMAND --help for details, gatehouse --version for the version.
Documents: ${documentFolder()}
`
}

export function describeCommand({ summary, usage }: Command): string {
  return `${summary}.\n\nUsage: ${usage.replaceAll('docs/', `${documentFolder()}/`)}\n`
}

const FARTHEST_GUESS = 3

/** A guess keeps half of the letters at least, or any short word would be taken for a short command. */
function isGuess({ name, steps }: { readonly name: string; readonly steps: number }): boolean {
  return steps <= Math.min(FARTHEST_GUESS, name.length / 2)
}

export function suggestionFor(name: string, commands: readonly Command[]): string {
  const [nearest] = commands
    .map((command) => ({ name: command.name, steps: editDistance(name, command.name) }))
    .sort((a, b) => a.steps - b.steps)
  const guess = nearest && isGuess(nearest) ? ` Did you mean "${nearest.name}"?` : ''
  return `gatehouse: there is no command "${name}".${guess} See gatehouse --help.\n`
}
