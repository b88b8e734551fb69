import { cores } from '../load/cores.ts'
import { Generator } from '../load/generator.ts'
import { type LoadResult, rawRequest } from '../load/load.ts'
import { atLeast, atMost, type Bench, type Figure, type Measure, median, round } from '../load/measure.ts'
import { folderOf, sessionToken, startOurs } from '../ours.ts'
import { insertPasswords, signInRequest } from '../rows/passwords.ts'
import type { Server } from '../server.ts'

const PEOPLE = 500
const FLOOD_CONNECTIONS = 80
const FLOODED_PERSON = 0

const FLOODS: Readonly<Record<string, readonly string[]>> = {
  '80 connections, one right sign-in, one address': [signInRequest(FLOODED_PERSON, '203.0.113.7')],
  '80 connections, wrong sign-ins of many people, one /24': Array.from({ length: 250 }, (_, i) =>
    signInRequest(i, `203.0.113.${i}`, 'not the password'),
  ),
}

/** Each comes from another network, because the limits of one would end the measure early. */
const OTHERS = Array.from({ length: PEOPLE - 300 }, (_, i) => signInRequest(300 + i, `198.51.${i}.9`))

const CHECKS = Array.from({ length: PEOPLE }, (_, i) =>
  rawRequest('GET', '/api/auth/get-session', { cookie: `session=${sessionToken(i)}` }),
)

export const measure: Measure = {
  title: 'Sign-ins and session checks of other networks during a flood of sign-ins, the server on all cores',
  async run(bench) {
    await using folder = await folderOf(PEOPLE)
    insertPasswords(folder, PEOPLE)
    await using ours = await startOurs(folder, { TRUSTED_PROXIES: '127.0.0.0/8', LOG_LEVEL: 'info' }, cores.all)

    await during(bench, ours, 'to warm up')
    const idle = await during(bench, ours, 'idle')
    const flooded: Beside[] = []
    for (const [what, requests] of Object.entries(FLOODS)) flooded.push(await during(bench, ours, what, requests))
    return { ratios: flooded.flatMap(ratiosOf), figures: [idle, ...flooded].map(figureOf) }
  },
}

type Beside = Awaited<ReturnType<typeof during>>

/** What others see beside a flood, if there is one. */
async function during(
  { generator, rounds, seconds }: Bench,
  { port }: Server,
  what: string,
  flood?: readonly string[],
) {
  await using second = new Generator()
  await using third = new Generator()
  const load = { port, seconds, core: 'shared' } as const
  const checks: LoadResult[] = []
  const signIns: LoadResult[] = []
  const floods: LoadResult[] = []
  for (let turn = 0; turn < rounds; turn++) {
    const [ofChecks, ofSignIns, ofFlood] = await Promise.all([
      generator.run({ ...load, connections: 4, requests: CHECKS }),
      second.run({ ...load, connections: 1, requests: OTHERS.slice(turn * 20) }),
      flood && third.run({ ...load, seconds: seconds + 0.5, connections: FLOOD_CONNECTIONS, requests: flood }),
    ])
    checks.push(ofChecks)
    signIns.push(ofSignIns)
    if (ofFlood) floods.push(ofFlood)
  }
  const sum = (field: 'failures' | 'requests') => signIns.reduce((total, one) => total + one[field], 0)
  return {
    what,
    checksP99: round(median(checks.map((one) => one.p99Milliseconds))),
    signInMedian: round(median(signIns.map((one) => one.medianMilliseconds))),
    signInSlowest: round(Math.max(...signIns.map((one) => one.p99Milliseconds))),
    successRate: 1 - sum('failures') / sum('requests'),
    perSecond: flood && Math.round(median(floods.map((one) => one.perSecond))),
  }
}

function ratiosOf({ what, checksP99, signInSlowest, successRate }: Beside) {
  return [
    atLeast(`sign-ins of others that succeed beside ${what}`, round(successRate), 1),
    atMost(`slowest sign-in of another network beside ${what}`, signInSlowest, 4_000, 'ms'),
    atMost(`slowest percent of session checks beside ${what}`, checksP99, 100, 'ms'),
  ]
}

function figureOf({ what, checksP99, signInMedian, signInSlowest, successRate, perSecond }: Beside): Figure {
  return {
    what,
    'checks p99 ms': checksP99,
    'sign-in median ms': signInMedian,
    'sign-in slowest ms': signInSlowest,
    'sign-ins that succeed': `${Math.round(successRate * 100)} %`,
    ...(perSecond !== undefined && { 'flood per second': perSecond }),
  }
}
