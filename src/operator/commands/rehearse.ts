import { configFromEnvironment, environment } from '../../config/config.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { addressFrom } from '../named-database/address.ts'
import { programAt } from '../rehearsal/programs.ts'
import { type Rehearsal, rehearse } from '../rehearsal/rehearsal.ts'
import { columns } from './columns.ts'
import { isUsageError, readArguments, UsageError } from './program/arguments.ts'
import { checkInput } from './program/input-file.ts'
import { print, printJson, say } from './program/output.ts'

const NOT_DONE = 1
const HAS_PROBLEMS = 2

/** Here 2 says that there are problems, so a wrong argument is 1, like everything that could not be done. */
export async function runRehearse(argv: readonly string[]): Promise<number> {
  try {
    return await rehearseNow(argv)
  } catch (error) {
    if (!isUsageError(error)) throw error
    say(`gatehouse rehearse: ${error.message}. See gatehouse rehearse --help.`)
    return NOT_DONE
  }
}

async function rehearseNow(argv: readonly string[]): Promise<number> {
  const { words, flags } = readArguments(argv, [], { json: { type: 'boolean' }, scratch: { type: 'string' } }, 'OLD')
  const [path = '', archive, odd] = words
  if (odd !== undefined) throw new UsageError(`unexpected argument "${odd}"`)
  const config = configFromEnvironment()
  const old = await programAt(path)
  if (archive !== undefined) await checkInput(archive)
  const scratch = flags.scratch === undefined ? undefined : await addressFrom(flags.scratch)
  const rehearsed = await rehearse({
    ...{ config, environment: environment(), old, archive, scratch, ended: untilSignal() },
    say: (told) => say(`  ${told}`),
  })
  if (flags.json) printJson(rehearsed)
  else for (const line of inWords(rehearsed)) print(line)
  return rehearsed.problems.length === 0 ? 0 : HAS_PROBLEMS
}

function untilSignal(): AbortSignal {
  const end = new AbortController()
  const stopped = new OperatorError('the rehearsal was stopped; its copy is removed')
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end.abort(stopped))
  return end.signal
}

/** Work in the background that was done at once is not worth a line. */
const WORTH_A_LINE_MILLISECONDS = 100

function inWords({ from, to, migrations, background, unread, way_back, problems }: Rehearsal): readonly string[] {
  const long = background.filter(({ ms }) => ms >= WORTH_A_LINE_MILLISECONDS)
  const rows = migrations.map(({ store, name, ms, longest_lock_ms, rows: ofTables, bytes }) => [
    ...[store, name, time(ms), time(longest_lock_ms), number(ofTables), `${number(Math.round(bytes / 1024))} KiB`],
  ])
  return [
    `From ${from} to ${to}: ${problems.length === 0 ? 'no problem' : `${problems.length} problems`}`,
    ...(rows.length === 0 ? ['Nothing is migrated.'] : columns([HEADS, ...rows])),
    ...long.map(({ name, ms }) => `Afterwards in the background: ${name}, ${time(ms)}`),
    ...unread.map((words) => `Not read: ${words}`),
    `The way back: ${way_back.words}`,
    ...problems.map((words) => `Problem: ${words}`),
  ]
}

const HEADS = ['STORE', 'MIGRATION', 'TIME', 'WRITES WAIT', 'ROWS', 'SPACE']

function time(ms: number): string {
  return ms < 10_000 ? `${number(ms)} ms` : `${number(Math.round(ms / 1_000))} s`
}

function number(value: number): string {
  return value.toLocaleString('en')
}
