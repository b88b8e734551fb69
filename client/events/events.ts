import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { escaped } from '../../src/rules/one-line.ts'
import { type Command, placeArguments } from '../command.ts'
import { checkName } from '../credentials/credentials.ts'
import { Unreachable } from '../http.ts'
import type { Answer } from '../request/answer.ts'
import { type ApiCall, parseCall } from '../request/arguments.ts'
import { openCaller } from '../request/caller.ts'
import { explain } from '../request/output/show.ts'
import { send } from '../request/send.ts'
import { urlOf } from '../request/url.ts'
import { EXIT, type ExitCode, Failure, usage } from '../terminal/failure.ts'
import { type Io, say } from '../terminal/io.ts'
import { isObject, parseJson } from '../terminal/json.ts'
import { cleanLine } from '../terminal/text.ts'

const PATH = '/api/admin/list_events'
const AT_ONCE = 1_000
const WAIT_SECONDS = 25
const RETRY_MILLISECONDS = 2_000
/** The pause before the next request, if the server has not held the last one. */
const PAUSE_MILLISECONDS = 250

const options = {
  name: { type: 'string' },
  follow: { type: 'boolean', short: 'f' },
  after: { type: 'string' },
  types: { type: 'string' },
} as const

/** Prints one event per line until it is interrupted or complete. */
export const events: Command = {
  options,
  async run(args, io) {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const { name } = placeArguments(['name'], values, positionals)
    if (name === undefined) throw usage('events needs NAME here')
    const { follow: isFollowed = false, after = isFollowed ? 'latest' : undefined, types } = values
    return show(io, parseCall([checkName(name), 'POST', PATH]), {
      isFollowed,
      after,
      types: types?.split(','),
    })
  },
}

interface Reading {
  readonly isFollowed: boolean
  readonly after: string | undefined
  readonly types: readonly string[] | undefined
}

async function show(io: Io, call: ApiCall, reading: Reading): Promise<ExitCode> {
  let next: string | undefined
  try {
    for await (const page of pages(io, call, reading)) {
      if (page === undefined) return EXIT.refused
      await printLines(io, page.items)
      next = page.next
    }
    return EXIT.done
  } catch (error) {
    if (io.interrupted.aborted && reading.isFollowed) return EXIT.done
    throw error
  } finally {
    if (next !== undefined) say(io, `gatehouse: continue with --after ${cleanLine(next)}`)
  }
}

interface Page {
  readonly items: readonly unknown[]
  readonly next: string
}

/** Undefined for a refusal, which has been explained. */
async function* pages(io: Io, call: ApiCall, reading: Reading) {
  const { isFollowed } = reading
  let { after } = reading
  let isMore = true
  while (isMore) {
    const askedAt = io.now()
    const answer = await (isFollowed ? untilAnswered : answerAfter)(io, call, reading, after)
    const page = pageIn(io, call, answer)
    if (page) refuseToGoBack(page, after)
    yield page
    after = page?.next
    isMore = isFollowed || page?.items.length === AT_ONCE
    const isHeld = page?.items.length !== 0 || io.now() - askedAt > PAUSE_MILLISECONDS
    if (isMore && !isHeld) await io.sleep(PAUSE_MILLISECONDS)
  }
}

async function answerAfter(io: Io, call: ApiCall, reading: Reading, after: string | undefined): Promise<Answer> {
  const { isFollowed, types } = reading
  const caller = await openCaller(io, call)
  const wait_seconds = isFollowed && after !== 'latest' ? WAIT_SECONDS : 0
  const body = JSON.stringify({ after, types, limit: AT_ONCE, wait_seconds })
  const { answer } = await send(io, call, caller, { url: urlOf(caller.server, PATH, {}), body })
  return answer
}

/** With `--follow` the client waits until the server can be reached again. */
async function untilAnswered(io: Io, call: ApiCall, reading: Reading, after: string | undefined): Promise<Answer> {
  for (;;) {
    const answer = await answerAfter(io, call, reading, after).catch(whyUnreachable)
    if (!(answer instanceof Unreachable) && answer.status !== 429 && answer.status < 500) return answer
    const words = answer instanceof Unreachable ? answer.message : `the server returned ${answer.status}`
    say(io, `gatehouse: ${words}; trying again`)
    await io.sleep(RETRY_MILLISECONDS)
  }
}

/** Drops the warning that a write may have been carried out: reading events changes nothing. */
function whyUnreachable(error: unknown): Unreachable {
  const cause = error instanceof Failure && error.cause instanceof Unreachable ? error.cause : error
  if (cause instanceof Unreachable) return cause
  throw error
}

function pageIn(io: Io, call: ApiCall, answer: Answer): Page | undefined {
  if (answer.status !== 200) {
    explain(io, call, answer)
    return undefined
  }
  const body = parseJson(answer.body.toString())
  if (!isObject(body) || !Array.isArray(body.items) || !isCursor(body.next))
    throw new Failure('refused', 'the response is not a list of events')
  return { items: body.items, next: body.next }
}

/** Checked because people copy it into a command. */
function isCursor(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.-]{1,64}$/.test(value)
}

/** Otherwise the same events would be printed for ever. */
function refuseToGoBack({ items, next }: Page, after: string | undefined): void {
  const isAgain = items.length > 0 && next === after
  if (isAgain || Number(next) < Number(after))
    throw new Failure('refused', 'the response goes back to events that were read before')
}

/** Waits if the reader is slower than the events. */
async function printLines(io: Io, events: readonly unknown[]): Promise<void> {
  for (const event of events) {
    const hasRoom = io.stdout.write(`${escaped(JSON.stringify(event))}\n`)
    if (!hasRoom) await once(io.stdout, 'drain', { signal: io.interrupted })
  }
}
