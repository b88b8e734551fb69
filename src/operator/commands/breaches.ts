import { text } from 'node:stream/consumers'
import { sha1Of } from '../../platform/breaches/breaches.ts'
import { Filter } from '../../platform/breaches/filter.ts'
import { DamagedFilter, type Head } from '../../platform/breaches/layout.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { buildFilter } from '../breaches/build.ts'
import { readArguments, UsageError } from './program/arguments.ts'
import { checkInput } from './program/input-file.ts'
import { wordsFor } from './program/operator-words.ts'
import { print, say } from './program/output.ts'

const LISTED = 1
const NOT_ASKED = 2
const BITS = 8

export async function runBreaches(argv: readonly string[]): Promise<number> {
  const [action = ''] = argv
  switch (action) {
    case 'build':
      return build(argv.slice(1))
    case 'info':
      return info(argv)
    case 'check':
      return check(argv)
    default:
      throw new UsageError(`unknown action "${action}"; the actions are build, info and check`)
  }
}

async function build(argv: readonly string[]): Promise<number> {
  const options = {
    output: { type: 'string', short: 'o' },
    plain: { type: 'boolean' },
    'min-count': { type: 'string' },
  } as const
  const { words: inputs, flags } = readArguments(argv, [], options, 'INPUT')
  if (flags.output === undefined || flags.output === '') throw new UsageError('-o FILE is missing')
  const countAtLeast = wholeNumber(flags['min-count'] ?? '1')
  if (flags.plain && flags['min-count'] !== undefined) throw new UsageError('--min-count is for hashes with a count')
  for (const input of inputs) if (input !== '-') await checkInput(input)
  const reading = { isPlain: flags.plain === true, countAtLeast }
  print(`${flags.output}: ${inWords(await buildFilter(inputs, flags.output, reading, Date.now()))}`)
  return 0
}

async function info(argv: readonly string[]): Promise<number> {
  const {
    words: [, file = ''],
  } = readArguments(argv, ['ACTION', 'FILE'], {})
  await using filter = await opened(file)
  await filter.verify().catch((error: unknown) => refuse(file, error))
  print(`${inWords(filter.head)}, made ${new Date(filter.head.madeAt).toISOString()}; all of it can be read`)
  return 0
}

/** What cannot be asked exits like a wrong argument, because 1 says that the password is listed. */
async function check(argv: readonly string[]): Promise<number> {
  const {
    words: [, file = ''],
  } = readArguments(argv, ['ACTION', 'FILE'], {})
  try {
    const isListed = await asked(file)
    print(isListed ? 'listed' : 'not listed')
    return isListed ? LISTED : 0
  } catch (error) {
    say(`gatehouse: ${wordsFor(error)}`)
    return NOT_ASKED
  }
}

async function asked(file: string): Promise<boolean> {
  await using filter = await opened(file)
  const password = (await text(process.stdin)).replace(/\r?\n$/, '')
  if (password === '') throw new OperatorError('there is no password on standard input')
  return await filter.has(sha1Of(password)).catch((error: unknown) => refuse(file, error))
}

async function opened(file: string): Promise<Filter> {
  await checkInput(file)
  return Filter.open(file).catch((error: unknown) => refuse(file, error))
}

function refuse(file: string, error: unknown): never {
  throw error instanceof DamagedFilter ? new OperatorError(`${file}: ${error.message}`) : error
}

function inWords({ entries, bytes }: Head): string {
  const each = entries === 0 ? '' : `, ${((bytes * BITS) / entries).toFixed(1)} bits each`
  return `${entries} passwords in ${bytes} bytes${each}; of those not listed, one in 10,000 is taken for one`
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1) throw new UsageError('--min-count takes a whole number from 1 on')
  return Number(text)
}
