import { isUsageError } from './arguments.ts'
import { catalogue } from './catalogue.ts'
import { describeCommand, describeProgram, suggestionFor } from './help.ts'
import { wordsFor } from './operator-words.ts'

const USAGE_ERROR = 2

/** `gatehouse COMMAND …`: returns the exit code. */
export async function runProgram([name, ...argv]: readonly string[]): Promise<number> {
  if (name === undefined || name === 'help' || isHelp(name)) {
    process.stdout.write(describeProgram(catalogue))
    return name === undefined ? USAGE_ERROR : 0
  }
  const command = catalogue.find((known) => known.name === name)
  if (!command) {
    process.stderr.write(suggestionFor(name, catalogue))
    return USAGE_ERROR
  }
  if (asksForHelp(argv)) {
    process.stdout.write(describeCommand(command))
    return 0
  }
  try {
    const run = await command.load()
    return await run(argv)
  } catch (error) {
    if (isUsageError(error)) {
      process.stderr.write(`gatehouse ${name}: ${error.message}. See gatehouse ${name} --help.\n`)
      return USAGE_ERROR
    }
    process.stderr.write(`gatehouse: ${wordsFor(error)}\n`)
    return 1
  }
}

/** Words after `--` belong to the command. */
function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end < 0 ? argv : argv.slice(0, end)).some(isHelp)
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h'
}
