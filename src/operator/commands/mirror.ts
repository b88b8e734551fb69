import { mirror } from '../mirror/mirror.ts'
import { refuseSchema } from '../mirror/preparing.ts'
import type { Source } from '../mirror/source.ts'
import { connectToProduct } from '../mirror/target.ts'
import { verify } from '../mirror/verify.ts'
import { addressFrom } from '../named-database/address.ts'
import { isUsageError, readArguments, UsageError } from './program/arguments.ts'
import { wordsFor } from './program/operator-words.ts'
import { print, say } from './program/output.ts'
import { withPlatform } from './with-platform.ts'

const NOT_DONE = 1
const DIFFERS = 2
const USERS_ALONE =
  'only users were compared: the mirror has no organizations and members, since its connection lacks admin:organizations:read'

/** Here 2 says that something differs, so a wrong argument is 1, like everything that could not be done. */
export async function runMirror(argv: readonly string[]): Promise<number> {
  try {
    return argv[0] === 'verify' ? await runVerify(argv.slice(1)) : await keepInStep(argv)
  } catch (error) {
    say(
      isUsageError(error)
        ? `gatehouse mirror: ${error.message}. See gatehouse mirror --help.`
        : `gatehouse: ${inWords(error)}`,
    )
    return NOT_DONE
  }
}

/** Of the client's failures and those of the product's database, the first line says it all. */
function inWords(error: unknown): string {
  const isPlain = error instanceof Error && ['Failure', 'DatabaseFault', 'Unavailable'].includes(error.name)
  return isPlain ? error.message : wordsFor(error)
}

async function keepInStep(argv: readonly string[]): Promise<number> {
  const { words, flags } = readArguments(argv, [], { ...SCHEMA, ...KEEPING }, 'DATABASE')
  const { name, schema, connect } = await placeOf(words, flags.schema)
  const ended = wantedUntil()
  await withSource(name, ended, (source) =>
    mirror({
      ...{ source, connect, schema, ended, now: Date.now },
      keepsDeleted: flags['keep-deleted'] === true,
      isOnce: flags.once === true,
      isAgain: flags.recopy === true,
      say: (told) => say(`gatehouse mirror: ${told}`),
    }),
  )
  return 0
}

async function runVerify(argv: readonly string[]): Promise<number> {
  const { words, flags } = readArguments(argv, [], SCHEMA, 'DATABASE')
  const { name, schema, connect } = await placeOf(words, flags.schema)
  const verified = await withSource(name, wantedUntil(), (source) => verify(source, connect, schema))
  const { equal, different, hasOrganizations } = verified
  for (const { table, id, columns } of different)
    print(`${table} ${JSON.stringify(id)}: ${typeof columns === 'string' ? columns : columns.join(', ')}`)
  const rows = equal.toLocaleString('en')
  if (different.length === 0) print(`${rows} rows are equal`)
  else say(`gatehouse mirror: ${different.length.toLocaleString('en')} rows differ, ${rows} are equal`)
  if (!hasOrganizations) say(`gatehouse mirror: ${USERS_ALONE}`)
  return different.length === 0 ? 0 : DIFFERS
}

const SCHEMA = { schema: { type: 'string' } } as const
const KEEPING = { once: { type: 'boolean' }, recopy: { type: 'boolean' }, 'keep-deleted': { type: 'boolean' } } as const

async function placeOf([database = '', name, odd]: readonly string[], schema = 'gatehouse') {
  if (odd !== undefined) throw new UsageError(`unexpected argument "${odd}"`)
  refuseSchema(schema)
  const addresses = await addressFrom(database)
  return { name, schema, connect: () => connectToProduct(addresses) }
}

async function withSource<T>(name: string | undefined, ended: AbortSignal, work: (source: Source) => Promise<T>) {
  if (name !== undefined) {
    const { openProcessIo } = await import('../../../client/terminal/process-io.ts')
    const { connectionSource } = await import('../mirror/connection-source.ts')
    const { environment } = await import('../../config/config.ts')
    return work(connectionSource(openProcessIo(environment()), name))
  }
  return withPlatform(async (platform) => {
    const { hostSource } = await import('../mirror/host-source.ts')
    return work(hostSource(platform, ended))
  })
}

function wantedUntil(): AbortSignal {
  const end = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort())
  return end.signal
}
