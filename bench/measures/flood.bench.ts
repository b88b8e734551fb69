import { cores } from '../load/cores.ts'
import { Generator } from '../load/generator.ts'
import { atLeast, atMost, type Bench, type Figure, type Measure, median, round } from '../load/measure.ts'
import { folderOf, insertPasswords, sessionChecks, signInRequest, startOurs } from '../ours.ts'
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

const CHECKS = sessionChecks(PEOPLE)

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
    return { ratios: flooded.flatMap(ratiosOf), figures: [idle, ...flooded] }
  },
}

type Beside = Awaited<ReturnType<typeof during>>

/** What others see beside a flood, if there is one. */
async function during(bench: Bench, { port }: Server, what: string, flood?: readonly string[]) {
  const { generator, rounds, seconds } = bench
  await using second = new Generator()
  await using third = new Generator()
  const load = { port, seconds, core: 'shared' } as const
  const oneTurn = (turn: number) =>
    Promise.all([
      generator.run({ ...load, connections: 4, requests: CHECKS }),
      second.run({ ...load, connections: 1, requests: OTHERS.slice(turn * 20) }),
      flood && third.run({ ...load, seconds: seconds + 0.5, connections: FLOOD_CONNECTIONS, requests: flood }),
    ])
  const turns: Awaited<ReturnType<typeof oneTurn>>[] = []
  for (let turn = 0; turn < rounds; turn++) turns.push(await oneTurn(turn))
  const sum = (field: 'failures' | 'requests') => turns.reduce((total, [, signIns]) => total + signIns[field], 0)
  return {
    what,
    'checks p99 ms': round(median(turns.map(([checks]) => checks.p99Milliseconds))),
    'sign-in median ms': round(median(turns.map(([, signIns]) => signIns.medianMilliseconds))),
    'sign-in slowest ms': round(Math.max(...turns.map(([, signIns]) => signIns.p99Milliseconds))),
    'sign-ins that succeed': round(1 - sum('failures') / sum('requests')),
    'flood per second': flood ? Math.round(median(turns.map(([, , floods]) => floods?.perSecond ?? 0))) : '',
  } satisfies Figure
}

function ratiosOf({ what, ...figure }: Beside) {
  return [
    atLeast(`sign-ins of others that succeed beside ${what}`, figure['sign-ins that succeed'], 1),
    atMost(`slowest sign-in of another network beside ${what}`, figure['sign-in slowest ms'], 4_000, 'ms'),
    atMost(`slowest percent of session checks beside ${what}`, figure['checks p99 ms'], 100, 'ms'),
  ]
}
