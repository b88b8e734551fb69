import { version } from '../../../rules/version.ts'
import { isUsageError } from './arguments.ts'
import { catalogue } from './catalogue.ts'
import type { Command } from './command.ts'
import { describeCommand, describeProgram, suggestionFor } from './help.ts'
import { wordsFor } from './operator-words.ts'
import { print, say, watchOutput, wordsForLostOutput } from './output.ts'

const USAGE_ERROR = 2

/** `gatehouse COMMAND …`: returns the exit code. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  const lostOutput = watchOutput()
  const code = await run(withHelpAsFlag(argv))
  const lost = await lostOutput()
  if (!lost) return code
  say(`gatehouse: ${wordsForLostOutput(lost)}`)
  return code === 0 ? 1 : code
}

/** `help serve` is `serve --help`. */
function withHelpAsFlag(words: readonly string[]): readonly string[] {
  return words[0] === 'help' ? [...words.slice(1, 2), '--help'] : words
}

async function run([name, ...argv]: readonly string[]): Promise<number> {
  if (name === undefined || isHelp(name)) {
    print(describeProgram(catalogue))
    return name === undefined ? USAGE_ERROR : 0
  }
  if (name === '--version' || asks(argv, '--version')) {
    print(`gatehouse ${version}`)
    return 0
  }
  const command = catalogue.find((known) => known.name === name)
  if (!command) {
    say(suggestionFor(name, catalogue))
    return USAGE_ERROR
  }
  if (asks(argv, '--help', '-h')) {
    print(describeCommand(command))
    return 0
  }
  return runCommand(command, argv)
}

async function runCommand({ name, load }: Command, argv: readonly string[]): Promise<number> {
  try {
    const runIt = await load()
    return await runIt(argv)
  } catch (error) {
    if (isUsageError(error)) {
      say(`gatehouse ${name}: ${error.message}. See gatehouse ${name} --help.`)
      return USAGE_ERROR
    }
    say(`gatehouse: ${wordsFor(error)}`)
    return 1
  }
}

/** Words after `--` belong to the command. */
function asks(argv: readonly string[], ...words: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => words.includes(word))
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h'
}
