import { cores } from '../load/cores.ts'
import { Generator } from '../load/generator.ts'
import { type LoadResult, rawRequest } from '../load/load.ts'
import { atLeast, atMost, type Bench, type Figure, type Measure, median, round } from '../load/measure.ts'
import { insertPeople, preparedFolder, sessionToken, startOurs } from '../ours.ts'
import { insertPasswords, signInRequest } from '../rows/passwords.ts'
import type { Server } from '../server.ts'

const PEOPLE = 500
const FLOOD_CONNECTIONS = 80
const FLOODED_PERSON = 0

const FLOODS = [
  ['80 connections, one right sign-in, one address', [signInRequest(FLOODED_PERSON, '203.0.113.7')]],
  [
    '80 connections, wrong sign-ins of many people, one /24',
    Array.from({ length: 250 }, (_, i) => signInRequest(i, `203.0.113.${i}`, 'not the password')),
  ],
] as const

/** Each comes from another network, because the limits of one would end the measure early. */
const OTHERS = Array.from({ length: PEOPLE - 300 }, (_, i) => signInRequest(300 + i, `198.51.${i}.9`))

const CHECKS = Array.from({ length: PEOPLE }, (_, i) =>
  rawRequest('GET', '/api/auth/get-session', { cookie: `session=${sessionToken(i)}` }),
)

export const measure: Measure = {
  title: 'Sign-ins and session checks of other networks during a flood of sign-ins, the server on all cores',
  async run(bench) {
    await using folder = await preparedFolder()
    insertPeople(folder, PEOPLE)
    insertPasswords(folder, PEOPLE)
    await using ours = await startOurs(folder, { TRUSTED_PROXIES: '127.0.0.0/8', LOG_LEVEL: 'info' }, cores.all)

    await during(bench, ours)
    const idle = await during(bench, ours)
    const flooded: Beside[] = []
    for (const [, requests] of FLOODS) flooded.push(await during(bench, ours, requests))
    return {
      ratios: FLOODS.flatMap(([what], i) => ratiosOf(what, flooded[i] ?? idle)),
      figures: [...figuresOf('idle', idle), ...FLOODS.flatMap(([what], i) => figuresOf(what, flooded[i] ?? idle))],
    }
  },
}

interface Beside {
  readonly checks: readonly LoadResult[]
  readonly signIns: readonly LoadResult[]
  readonly floods: readonly LoadResult[]
}

async function during(
  { generator, rounds, seconds }: Bench,
  { port }: Server,
  flood?: readonly string[],
): Promise<Beside> {
  await using second = new Generator()
  await using third = new Generator()
  const load = { port, seconds, core: 'shared' } as const
  const results: { checks: LoadResult[]; signIns: LoadResult[]; floods: LoadResult[] } = {
    checks: [],
    signIns: [],
    floods: [],
  }
  for (let turn = 0; turn < rounds; turn++) {
    const [checks, signIns, floods] = await Promise.all([
      generator.run({ ...load, connections: 4, requests: CHECKS }),
      second.run({ ...load, connections: 1, requests: OTHERS.slice(turn * 20) }),
      flood && third.run({ ...load, seconds: seconds + 0.5, connections: FLOOD_CONNECTIONS, requests: flood }),
    ])
    results.checks.push(checks)
    results.signIns.push(signIns)
    if (floods) results.floods.push(floods)
  }
  return results
}

function ratiosOf(what: string, beside: Beside) {
  return [
    atLeast(`sign-ins of others that succeed beside ${what}`, round(successRate(beside.signIns)), 1),
    atMost(`slowest sign-in of another network beside ${what}`, slowest(beside.signIns), 4_000, 'ms'),
    atMost(`slowest percent of session checks beside ${what}`, round(p99(beside.checks)), 100, 'ms'),
  ]
}

function figuresOf(what: string, { checks, signIns, floods }: Beside): readonly Figure[] {
  const flood =
    floods.length === 0 ? {} : { 'flood per second': Math.round(median(floods.map((one) => one.perSecond))) }
  return [
    {
      what,
      'checks p99 ms': round(p99(checks)),
      'sign-in median ms': round(median(signIns.map((one) => one.medianMilliseconds))),
      'sign-in slowest ms': slowest(signIns),
      'sign-ins that succeed': `${Math.round(successRate(signIns) * 100)} %`,
      ...flood,
    },
  ]
}

function p99(results: readonly LoadResult[]): number {
  return median(results.map((one) => one.p99Milliseconds))
}

function slowest(results: readonly LoadResult[]): number {
  return round(Math.max(...results.map((one) => one.p99Milliseconds)))
}

function successRate(results: readonly LoadResult[]): number {
  const sum = (pick: (one: LoadResult) => number) => results.reduce((total, one) => total + pick(one), 0)
  return 1 - sum((one) => one.failures) / sum((one) => one.requests)
}
