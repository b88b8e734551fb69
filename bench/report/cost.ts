import { readFileSync, writeFileSync } from 'node:fs'
import type { Figure } from '../load/measure.ts'
import { between } from './generated.ts'

const PAGE = 'docs/scale.md'
const VIEWS = 12
const VERIFIED = 200
/** `gatehouse/server` asks once when it meets a session: once in each visit. */
const ASKED = 12
const MICROSECONDS_A_SECOND = 1e6
/** Of a machine for 5 euros: a third of one core in the long run, of which half is kept free. */
const GRANTED_SECONDS_AN_HOUR = 3_600 / 3 / 2
/** A tenth of a day's requests fall into its busiest hour. */
const BUSIEST = 10

interface Measured {
  readonly name: string
  readonly figures: readonly Figure[]
}

interface Costs {
  readonly engine: string
  readonly check: number
  readonly page: number
  readonly signIn: number
}

/** What one active person costs in a day, from the processor times of one run. */
export function writeCosts(results: readonly Measured[]): void {
  const table = costsOf(results) ?? 'One of the measures that this is calculated from failed in the last run.'
  writeFileSync(PAGE, between(readFileSync(PAGE, 'utf8'), table))
}

/** Undefined if one of the measures is missing. */
export function costsOf(results: readonly Measured[]): string | undefined {
  const cpu = (name: string, what: string) => {
    const figure = results.find((one) => one.name === name)?.figures.find((one) => one.what === what)
    return Number(figure?.['CPU µs'] ?? Number.NaN)
  }
  const signIn = cpu('sign-in', 'sign-in')
  const engines: readonly Costs[] = [
    {
      engine: 'SQLite',
      check: cpu('session-check', 'cookie'),
      page: cpu('notifications', 'page of 1,000'),
      signIn,
    },
    {
      engine: 'PostgreSQL',
      check: cpu('postgres', 'session check'),
      page: cpu('bookmarks', 'no bookmark'),
      signIn,
    },
  ]
  const known = engines.every(({ check, page }) => Number.isFinite(check + page + signIn))
  return known ? tableOf(engines) : undefined
}

function tableOf(engines: readonly Costs[]): string {
  const row = (what: string, of: (costs: Costs) => string) => `| ${what} | ${engines.map(of).join(' | ')} |`
  const lines = [
    row('a session check', ({ check }) => `${two(check)} µs`),
    row('a page of notifications', ({ page }) => `${two(page)} µs`),
    row('a sign-in with a password', ({ signIn }) => `${two(signIn / 1_000)} ms`),
    ...[
      ['**a day with `/api/verify`**', VERIFIED, 30],
      ['**a day with `gatehouse/server`**', ASKED, 30],
    ].map(([what, asked, days]) =>
      row(String(what), (costs) => `**${two(dayOf(costs, Number(asked), Number(days)) / 1_000)} ms**`),
    ),
    row('people on a machine for 5 euros, with `/api/verify`', (costs) => people(dayOf(costs, VERIFIED, 30))),
    row('the same with `gatehouse/server`', (costs) => people(dayOf(costs, ASKED, 30))),
    row('with `gatehouse/server`, everybody signing in each week', (costs) => people(dayOf(costs, ASKED, 7))),
  ]
  return [`| Processor time | ${engines.map(({ engine }) => engine).join(' | ')} |`, '|---|---:|---:|', ...lines].join(
    '\n',
  )
}

/** In microseconds; for a user who signs in once in so many days. */
function dayOf({ check, page, signIn }: Costs, asked: number, days: number): number {
  return VIEWS * (check + page) + asked * check + signIn / days
}

function people(microsecondsADay: number): string {
  const secondsInBusiestHour = microsecondsADay / BUSIEST / MICROSECONDS_A_SECOND
  return Number((GRANTED_SECONDS_AN_HOUR / secondsInBusiestHour).toPrecision(2)).toLocaleString('en')
}

function two(value: number): number {
  return Number(value.toPrecision(2))
}
