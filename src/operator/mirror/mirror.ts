import { setTimeout as wait } from 'node:timers/promises'
import { OperatorError } from '../../rules/operator-error.ts'
import { type Connect, type Connection, DatabaseFault, opened } from '../named-database/connection.ts'
import { copy, startCopy } from './copying.ts'
import { follow } from './following.ts'
import { prepareTables } from './preparing.ts'
import { CursorLost, lacksOrganizations, type Source, Unavailable, WITHOUT_ORGANIZATIONS } from './source.ts'
import { Overtaken, readState } from './state.ts'
import { inTransaction, takeSchema, WHOSE } from './target.ts'
import type { Place } from './writing.ts'

export interface Mirroring {
  readonly source: Source
  readonly connect: Connect
  readonly schema: string
  readonly keepsDeleted: boolean
  /** Ends when the mirror has caught up. */
  readonly isOnce: boolean
  /** Copies again, whatever the mirror has. */
  readonly isAgain: boolean
  readonly say: (words: string) => void
  readonly now: () => number
  readonly ended: AbortSignal
}

const LOST =
  'the feed of events no longer has what follows the mirror’s cursor; run it with --recopy, which copies again beside reads'
const LOOKS_AGAIN_MILLISECONDS = 1_000
const FIRST_PAUSE_MILLISECONDS = 250
const LONGEST_PAUSE_MILLISECONDS = 30_000

/** Runs until it has caught up or is ended. What can pass is told and tried again, once the mirror has begun. */
export async function mirror(mirroring: Mirroring): Promise<void> {
  const progress = { hasBegun: false, isAgain: mirroring.isAgain }
  const { source, ended, isOnce, now, say } = mirroring
  if (!source.hasOrganizations) say(WITHOUT_ORGANIZATIONS)
  for (let failures = 0; !ended.aborted; ) {
    const startedAt = now()
    try {
      await runConnected(mirroring, progress)
      if (isOnce) return
    } catch (error) {
      if (ended.aborted) return
      const lastsLong = now() - startedAt > LONGEST_PAUSE_MILLISECONDS
      failures = lastsLong ? 1 : failures + 1
      await passOrThrow(mirroring, error, progress.hasBegun, failures)
    }
  }
}

async function passOrThrow({ say, ended, isOnce }: Mirroring, error: unknown, hasBegun: boolean, failures: number) {
  if (error instanceof CursorLost) throw new OperatorError(LOST)
  if (!canPass(error)) throw error
  if (isOnce || !hasBegun) throw new OperatorError(error.message)
  say(`${error.message}; trying again`)
  const pause = Math.min(2 ** (failures - 1) * FIRST_PAUSE_MILLISECONDS, LONGEST_PAUSE_MILLISECONDS)
  await wait(pause, undefined, { signal: ended }).catch(() => undefined)
}

function canPass(error: unknown): error is Error {
  return error instanceof Unavailable || error instanceof DatabaseFault || error instanceof Overtaken
}

interface Progress {
  hasBegun: boolean
  isAgain: boolean
}

async function runConnected(mirroring: Mirroring, progress: Progress): Promise<void> {
  const { connect } = mirroring
  const connection = await opened(connect, WHOSE)
  const place = { ...mirroring, connection }
  try {
    if (!(await awaitSchema(mirroring, connection))) return
    await inTransaction(connection, () => prepareTables(connection, mirroring.schema))
    await startIfNeeded(mirroring, place, progress)
    progress.hasBegun = true
    await copy(mirroring, place)
    if (!mirroring.isOnce) mirroring.say('following the feed of events')
    await follow(mirroring, place)
  } finally {
    await connection.end()
  }
}

/** Looks again now and then: a session that waits in a statement would keep the database from tidying up. */
async function awaitSchema({ schema, say, ended }: Mirroring, connection: Connection): Promise<boolean> {
  let isTold = false
  while (!(await takeSchema(connection, schema))) {
    if (!isTold) say('another mirror keeps this schema in step; waiting for it to end')
    isTold = true
    await wait(LOOKS_AGAIN_MILLISECONDS, undefined, { signal: ended }).catch(() => undefined)
    if (ended.aborted) return false
  }
  return true
}

async function startIfNeeded({ source, schema }: Mirroring, place: Place, progress: Progress): Promise<void> {
  const state = await readState(place.connection, schema)
  if (state.has_organizations && !source.hasOrganizations) throw lacksOrganizations()
  const isWider = source.hasOrganizations && state.has_organizations === false
  if (!progress.isAgain && state.cursor !== null && !isWider) return
  await startCopy(source, place, state)
  progress.isAgain = false
}
