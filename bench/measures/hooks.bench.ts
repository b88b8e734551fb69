import { setTimeout as wait } from 'node:timers/promises'
import { cores } from '../load/cores.ts'
import { rawRequest } from '../load/load.ts'
import { atLeast, atMost, type Bench, type Figure, type Measure, median, round } from '../load/measure.ts'
import { administratorToken, folderOf, sessionToken, startOurs } from '../ours.ts'
import { call, mustCall, type Server } from '../server.ts'
import { ANSWERS, RECEIVERS_NETWORK, startReceiver } from '../servers/receiver.ts'

const PEOPLE = 400
const TIMEOUT_MILLISECONDS = 500
/** More a second than can be asked at once while the receiver hangs. */
const TOKENS_PER_SECOND = 250
const WARM_UP_ROUNDS = 4
/** Making the token takes this long at most on a machine that is busy with checks. */
const SLACK_MILLISECONDS = 250

const CHECKS = Array.from({ length: PEOPLE }, (_, i) =>
  rawRequest('GET', '/api/auth/get-session', { cookie: `session=${sessionToken(i)}` }),
)

export const measure: Measure = {
  title: 'Session checks while everybody gets signed tokens, and the hook before a token fails',
  async run(bench) {
    await using folder = await folderOf(PEOPLE)
    const token = administratorToken(folder)
    await using receiver = await startReceiver()
    await using ours = await startOurs(folder, { WEBHOOK_NETWORKS: RECEIVERS_NETWORK, LOG_LEVEL: 'info' }, cores.all)
    const hook = { enabled: true, url: receiver.url, timeout_ms: TIMEOUT_MILLISECONDS, on_failure: 'allow' }
    const body = { expected_version: 1, before_token: hook }
    await mustCall(ours, '/api/admin/update_hooks_config', { token, body })

    const turn = (answer: Answer) => {
      receiver.behaviour.answer = answer
      return during(bench, ours)
    }
    for (let round = 0; round < WARM_UP_ROUNDS; round++) await turn(ANSWERS.yes)
    const found: Found[] = []
    for (const [what, answer] of Object.entries<Answer>(FAILING)) {
      const turns = []
      for (let round = 0; round < bench.rounds; round++)
        turns.push({ beside: await turn(ANSWERS.yes), failing: await turn(answer) })
      found.push(foundIn(what, turns))
    }
    return { ratios: found.flatMap(ratiosOf), figures: found.map(figureOf) }
  },
}

const { yes: _, ...FAILING } = ANSWERS
type Answer = Awaited<ReturnType<typeof startReceiver>>['behaviour']['answer']
type OfTurn = Awaited<ReturnType<typeof during>>
type Found = ReturnType<typeof foundIn>

/** By the time of the service's processor, because receiver, load and service share the cores here. */
async function during({ generator, seconds }: Bench, server: Server) {
  const before = server.cpuMilliseconds()
  const [checks, tokens] = await Promise.all([
    generator.run({ port: server.port, seconds, core: 'shared', connections: 4, requests: CHECKS }),
    signedTokens(server, seconds),
  ])
  const perProcessorSecond = (checks.requests * 1_000) / (server.cpuMilliseconds() - before)
  return { perProcessorSecond, slowest: Math.max(...tokens), megabytes: server.memoryMegabytes() }
}

/** Each turn of a failing receiver comes after one of a healthy receiver. */
function foundIn(what: string, turns: readonly { readonly beside: OfTurn; readonly failing: OfTurn }[]) {
  return {
    what,
    perSecond: median(turns.map(({ failing }) => failing.perProcessorSecond)),
    rate: median(turns.map(({ beside, failing }) => failing.perProcessorSecond / beside.perProcessorSecond)),
    slowest: Math.max(...turns.map(({ failing }) => failing.slowest)),
    grown: Math.max(0, ...turns.map(({ beside, failing }) => failing.megabytes - beside.megabytes)),
  }
}

/** As many a second, however long each takes; the milliseconds of each. */
async function signedTokens(server: Server, seconds: number): Promise<readonly number[]> {
  const asked: Promise<number>[] = []
  const started = performance.now()
  for (let i = 0; i < seconds * TOKENS_PER_SECOND; i++) {
    await wait(Math.max(0, started + (i * 1_000) / TOKENS_PER_SECOND - performance.now()))
    asked.push(timed(server, sessionToken(i % PEOPLE)))
  }
  return Promise.all(asked)
}

async function timed(server: Server, token: string): Promise<number> {
  const started = performance.now()
  const { status, text } = await call(server, '/api/auth/token', { method: 'GET', token })
  if (status !== 200) throw new Error(`a token was refused: ${status} ${text}`)
  return performance.now() - started
}

function ratiosOf({ what, rate, slowest, grown }: Found) {
  const longest = TIMEOUT_MILLISECONDS + SLACK_MILLISECONDS
  return [
    atLeast(`rate of session checks while the receiver ${what}`, round(rate), 0.9),
    atMost(`slowest token while the receiver ${what}`, round(slowest), longest, 'ms'),
    atMost(`memory beside what was there while the receiver ${what}`, round(grown), 20, 'MB'),
  ]
}

function figureOf({ what, perSecond, slowest, grown }: Found): Figure {
  return {
    what,
    'checks per processor second': Math.round(perSecond),
    'slowest token ms': round(slowest),
    'more memory MB': round(grown),
  }
}
