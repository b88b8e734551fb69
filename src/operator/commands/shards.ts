import { configFromEnvironment } from '../../config/config.ts'
import { withoutPassword } from '../../config/listing.ts'
import { verifyShards } from '../../features/tenancy/moves/verifying/verifying.ts'
import { addShard, setShardState } from '../../features/tenancy/shards/shards.ts'
import { listedShards, usersByShard } from '../../features/tenancy/shards/statements.ts'
import type { Platform } from '../../platform/platform.ts'
import { escaped } from '../../rules/one-line.ts'
import { replaceShard } from '../lost-shard.ts'
import type { MoveCommand } from '../moving/move-commands.ts'
import { sendCommand } from '../moving/send-command.ts'
import { columns } from './columns.ts'
import { readArguments, UsageError } from './program/arguments.ts'
import { print, printJson, say } from './program/output.ts'
import { progressOn } from './progress.ts'
import { withPlatform } from './with-platform.ts'

const VERBS: Readonly<Record<string, (argv: readonly string[]) => Promise<number>>> = {
  list: runList,
  add: runAdd,
  drain: (argv) => runState(argv, 'draining'),
  activate: (argv) => runState(argv, 'active'),
  'move-user': runMoveUser,
  empty: runEmpty,
  verify: runVerify,
  'remove-copies': runRemoveCopies,
  'remove-ownerless': runRemoveOwnerless,
  replace: runReplace,
}

export async function runShards([verb = '', ...argv]: readonly string[]): Promise<number> {
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined
  if (!run) {
    const found = verb === '' ? 'missing subcommand' : `unknown subcommand "${verb}"`
    throw new UsageError(`${found}; one of: ${Object.keys(VERBS).join(', ')}`)
  }
  return run(argv)
}

async function runList(argv: readonly string[]): Promise<number> {
  const { flags } = readArguments(argv, [], { json: { type: 'boolean' } })
  const shards = await withPlatform(describedShards)
  if (flags.json) printJson(shards)
  else {
    const rows = shards.map(({ id, region, state, users, place }) => [id, region, state, `${users}`, place])
    print(columns([['shard', 'region', 'state', 'users', 'place'], ...rows]).join('\n'))
  }
  return 0
}

async function describedShards({ config, meta }: Platform) {
  const [registered, users] = await Promise.all([listedShards(meta), usersByShard(meta)])
  const known = new Set(registered.map(({ id }) => id))
  const unused = config.shards.filter(({ id }) => !known.has(id))
  return [...registered, ...unused.map(({ id, region }) => ({ id, region, state: 'unused' as const }))].map((row) => {
    const address = config.shards.find(({ id }) => id === row.id)
    const place = withoutPassword(address?.url) ?? 'not in SHARDS'
    return { ...row, users: users.get(row.id) ?? 0, place }
  })
}

async function runAdd(argv: readonly string[]): Promise<number> {
  const {
    words: [id = ''],
  } = readArguments(argv, ['SHARD'], {})
  const added = await withPlatform((platform) => addShard(platform, id))
  print(added ? `${id} now takes users` : `${id} is already in use`)
  return 0
}

async function runState(argv: readonly string[], state: 'active' | 'draining'): Promise<number> {
  const {
    words: [id = ''],
  } = readArguments(argv, ['SHARD'], {})
  const row = await withPlatform((platform) => setShardState({ platform }, id, state))
  print(`${id} is ${row.state}; it has ${row.users} users`)
  return 0
}

async function runMoveUser(argv: readonly string[]): Promise<number> {
  const {
    words: [user = '', shardId = ''],
  } = readArguments(argv, ['USER', 'SHARD'], {})
  return carriedOut({ verb: 'move-user', user, shardId })
}

const USERS_A_SECOND = 50

async function runEmpty(argv: readonly string[]): Promise<number> {
  const {
    words: [shardId = ''],
    flags,
  } = readArguments(argv, ['SHARD'], {
    to: { type: 'string' },
    rate: { type: 'string', default: String(USERS_A_SECOND) },
  })
  const usersPerSecond = Number(flags.rate)
  if (!(usersPerSecond > 0)) throw new UsageError('--rate must be a number of users per second')
  return carriedOut({ verb: 'empty', shardId, toShard: flags.to, usersPerSecond })
}

async function carriedOut(command: MoveCommand): Promise<number> {
  const show = progressOn(process.stderr)
  const { words, exitCode } = await sendCommand(configFromEnvironment(), command, (share) =>
    show(command.shardId, share),
  )
  print(words)
  return exitCode
}

async function runVerify(argv: readonly string[]): Promise<number> {
  const { flags } = readArguments(argv, [], { json: { type: 'boolean' } })
  return withPlatform(async (platform) => {
    let count = 0
    for await (const disagreement of verifyShards(platform)) {
      count++
      const { shard, user_id, words } = disagreement
      print(flags.json ? escaped(JSON.stringify(disagreement)) : [shard, user_id, words].filter(Boolean).join(' '))
    }
    say(count === 0 ? 'Global store and shards agree.' : `${count} disagreements.`)
    return count === 0 ? 0 : 1
  })
}

async function runRemoveCopies(argv: readonly string[]): Promise<number> {
  const {
    words: [shardId = ''],
  } = readArguments(argv, ['SHARD'], {})
  return carriedOut({ verb: 'remove-copies', shardId })
}

async function runRemoveOwnerless(argv: readonly string[]): Promise<number> {
  const {
    words: [shardId = ''],
    flags,
  } = readArguments(argv, ['SHARD'], { 'for-good': { type: 'boolean' } })
  return carriedOut({ verb: 'remove-ownerless', shardId, isForGood: flags['for-good'] === true })
}

async function runReplace(argv: readonly string[]): Promise<number> {
  const {
    words: [shardId = ''],
  } = readArguments(argv, ['SHARD'], {})
  await replaceShard(configFromEnvironment(), shardId, Date.now)
  print(`${shardId} begins again with the empty store at its address`)
  return 0
}
