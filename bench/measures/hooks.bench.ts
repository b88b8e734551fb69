import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { startProduct } from '../../test/service/product.ts'
import { cores } from '../load/cores.ts'
import { atLeast, atMost, type Bench, type Figure, type Measure, median, round } from '../load/measure.ts'
import { administratorToken, folderOf, sessionChecks, sessionToken, startOurs } from '../ours.ts'
import { call, mustCall, type Server } from '../server.ts'

const PEOPLE = 400
const TIMEOUT_MILLISECONDS = 500
/** More a second than can be asked at once while the receiver hangs. */
const TOKENS_PER_SECOND = 250
/** About what one core still answers beside those tokens. */
const CHECKS_PER_TOKEN = 4
/** The longest that they can take. */
const MOST_SECONDS = 60
const WARM_UP_ROUNDS = 4
/** Making the token takes this long at most on a machine that is busy with checks. */
const SLACK_MILLISECONDS = 250

const CHECKS = sessionChecks(PEOPLE)

type Answer = Awaited<ReturnType<typeof startProduct>>['behaviour']['answer']
const yes: Answer = (_, response) => response.end('{"allow":true}')
const CHUNK = Buffer.alloc(64 * 1024, 'a')
/** A gigabyte, unless its reader leaves, as it should. */
const pour = (response: Writable) => pipeline(Array<Buffer>(16 * 1024).fill(CHUNK), response).catch(() => undefined)

/** The ways in which a product's receiver can fail. */
const FAILING: Readonly<Record<string, Answer>> = {
  hangs: () => undefined,
  dies: (_, response) => response.destroy(),
  'answers 1 GB': (_, response) => pour(response),
  redirects: (_, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  'answers garbage': (_, response) => response.end('<html>'),
  'is late': (...call) => wait(5_000).then(() => yes(...call)),
}

export const measure: Measure = {
  title: 'Session checks while everybody gets signed tokens, and the hook before a token fails',
  async run(bench) {
    await using folder = await folderOf(PEOPLE)
    const token = administratorToken(folder)
    await using receiver = await startProduct(yes)
    await using ours = await startOurs(folder, { WEBHOOK_NETWORKS: '127.0.0.1/32', LOG_LEVEL: 'info' }, cores.all)
    const hook = { enabled: true, url: receiver.url, timeout_ms: TIMEOUT_MILLISECONDS, on_failure: 'allow' }
    const body = { expected_version: 1, before_token: hook }
    await mustCall(ours, '/api/admin/update_hooks_config', { token, body })

    const turn = (answer: Answer) => {
      receiver.behaviour.answer = answer
      return during(bench, ours)
    }
    for (let round = 0; round < WARM_UP_ROUNDS; round++) await turn(yes)
    const figures: ReturnType<typeof figureOf>[] = []
    for (const [what, answer] of Object.entries(FAILING)) {
      const turns = []
      for (let round = 0; round < bench.rounds; round++)
        turns.push({ beside: await turn(yes), failing: await turn(answer) })
      figures.push(figureOf(what, turns))
    }
    return { ratios: figures.flatMap(ratiosOf), figures }
  },
}

type OfTurn = Awaited<ReturnType<typeof during>>

/**
 * The same checks and tokens in each turn, by the time of the service's processor: receiver, load and service share the
 * cores here, and a receiver that pours out a gigabyte takes more of them.
 */
async function during({ generator, seconds }: Bench, server: Server) {
  const before = server.cpuMilliseconds()
  const most = seconds * TOKENS_PER_SECOND * CHECKS_PER_TOKEN
  const load = { connections: 4, requests: CHECKS, most } as const
  const [checks, tokens] = await Promise.all([
    generator.run({ port: server.port, seconds: MOST_SECONDS, core: 'shared', ...load }),
    signedTokens(server, seconds),
  ])
  if (checks.requests < most) throw new Error(`only ${checks.requests} of ${most} checks were answered in time`)
  const perProcessorSecond = (checks.requests * 1_000) / (server.cpuMilliseconds() - before)
  return { perProcessorSecond, slowest: Math.max(...tokens), megabytes: server.memoryMegabytes() }
}

/** Each turn of a failing receiver comes after one of a healthy receiver. */
function figureOf(what: string, turns: readonly { readonly beside: OfTurn; readonly failing: OfTurn }[]) {
  const rates = turns.map(({ beside, failing }) => failing.perProcessorSecond / beside.perProcessorSecond)
  return {
    what,
    'checks per processor second': Math.round(median(turns.map(({ failing }) => failing.perProcessorSecond))),
    'rate beside a healthy one': round(median(rates)),
    'slowest token ms': round(Math.max(...turns.map(({ failing }) => failing.slowest))),
    'more memory MB': round(Math.max(0, ...turns.map(({ beside, failing }) => failing.megabytes - beside.megabytes))),
  } satisfies Figure
}

function ratiosOf(figure: ReturnType<typeof figureOf>) {
  const receiver = `while the receiver ${figure.what}`
  const longest = TIMEOUT_MILLISECONDS + SLACK_MILLISECONDS
  return [
    atLeast(`rate of session checks ${receiver}`, figure['rate beside a healthy one'], 0.9),
    atMost(`slowest token ${receiver}`, figure['slowest token ms'], longest, 'ms'),
    atMost(`memory beside what was there ${receiver}`, figure['more memory MB'], 20, 'MB'),
  ]
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
  const { status, text, milliseconds } = await call(server, '/api/auth/token', { method: 'GET', token })
  if (status !== 200) throw new Error(`a token was refused: ${status} ${text}`)
  return milliseconds
}
