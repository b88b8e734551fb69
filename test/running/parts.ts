/** The test files of each command, and their engines. */

const IN_PROCESS = ['{src,client,packages}/**/*.test.ts', 'test/security/**/*.test.ts', 'test/*.test.ts']

/** What `npm run proof` runs beside everything on PostgreSQL, by the names of its parts. */
const PROOF = {
  faults: ['test/faults/**/*.test.ts'],
  chaos: ['test/chaos/chaos.test.ts'],
  interleavings: ['test/interleavings/*.test.ts'],
  fuzz: ['test/security/requests/fuzz.test.ts'],
  program: ['test/journeys/*.test.ts'],
  year: ['test/journeys/year/*.test.ts'],
  openid: ['test/openid/*.test.ts'],
  clients: ['test/journeys/{clients,strangers}/*.test.ts', 'test/openapi/*.test.ts'],
  proxies: ['test/journeys/proxies/*.test.ts'],
  engines: ['test/engines/*.test.ts'],
  packages: ['test/package.test.ts', 'test/bench.test.ts', 'test/bench/*.test.ts', 'test/browser/chromium.test.ts'],
  release: ['test/release.test.ts'],
  upgrades: ['test/journeys/upgrade.test.ts', 'test/faults/postgres/upgrade.test.ts'],
  ha: ['test/ha/*.test.ts'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Real processes, few enough for `npm test`: a start and a stop, a stopped mover, a keyed write, two replicas. */
const PROCESSES = [
  'test/journeys/program.test.ts',
  'test/faults/stopped-mover.test.ts',
  'test/faults/keyed-write.test.ts',
  'test/faults/postgres/promotion.test.ts',
]

/** Tests of stores, which run on PostgreSQL as well as on SQLite. */
export const ON_STORES: readonly string[] = [
  'test/openid/*.test.ts',
  'test/security/**/*.test.ts',
  'src/{features,http,database,platform}/**/*.test.ts',
  'src/operator/{as-code,mirror,transfer,user-import}/**/*.test.ts',
  'test/bench/newest-step.test.ts',
  'test/trips/trips.test.ts',
]

/** Tests that depend on the engine: `npm test` runs these on PostgreSQL too, `npm run proof` all of `ON_STORES`. */
const ON_POSTGRES = [
  'src/database/{batch-rows,prepared,migrations/*}.test.ts',
  'src/platform/{background,key-value/key-value}.test.ts',
  'src/features/access/grants/{grants,plans,tokens/crowding,tokens/refresh}.test.ts',
  'src/features/*/{idempotency,moves,notifications,overview,shards,sessions}/**/*.test.ts',
  'src/features/*/{events/relay,webhooks/lanes,callers,credits,feedback}/**/*.test.ts',
  'src/features/delivery/revocations/*.test.ts',
  'src/features/ground/events/order.test.ts',
  'test/security/races/{access-given,saved-elsewhere,saved-settings,user-row}.test.ts',
  'test/security/ended-while-opening.test.ts',
  'test/security/requests/{totals,bookmark,written-twice}.test.ts',
  'test/security/{factors,oauth,tokens,products}/{at-once,last-at-once,tokens,devices,rotation,applications-meanwhile,withdrawn-scopes}.test.ts',
]

const SHORT_OF_PROOF = [...PROOF.fuzz, ...PROOF.packages, ...PROOF.release]

export interface Project {
  readonly name: string
  readonly include: readonly string[]
  readonly exclude: readonly string[]
  readonly engine: 'sqlite' | 'postgres'
  readonly limitSeconds: number
  /** A process for each file: they look at their own memory, replace the clock, or end what they started by its name. */
  readonly isAlone?: boolean
}

export const TEST_PROJECTS: readonly Project[] = [
  {
    name: 'sqlite',
    include: [...IN_PROCESS, 'test/{chaos/{actors,checker},postgres,processes,plans,trips}/**/*.test.ts'],
    exclude: SHORT_OF_PROOF,
    engine: 'sqlite',
    limitSeconds: 60,
  },
  { name: 'postgres', include: ON_POSTGRES, exclude: SHORT_OF_PROOF, engine: 'postgres', limitSeconds: 60 },
  { name: 'processes', include: PROCESSES, exclude: [], engine: 'sqlite', limitSeconds: 120 },
]

/** Parts that run only when they are named: minutes, with programs that few machines have. */
export const BY_NAME: readonly string[] = ['ha']

export const PROOF_PROJECTS: readonly Project[] = [
  {
    name: 'proof-postgres',
    include: ON_STORES,
    exclude: SHORT_OF_PROOF,
    engine: 'postgres',
    limitSeconds: 120,
  },
  ...Object.entries(PROOF).map(
    ([part, include]): Project => ({
      name: `proof-${part}`,
      include,
      exclude: part === 'upgrades' ? [] : PROOF.upgrades,
      engine: 'sqlite',
      limitSeconds: 600,
      isAlone: true,
    }),
  ),
]

/** Runs along with the tests in `npm run mutations`. */
export const OBSERVERS: readonly string[] = process.env.EXECUTED_INTO ? ['test/running/executed.ts'] : []

export const BROWSER_FILES = 'test/browser/**/*.e2e.ts'
export const BROWSER_JOURNEYS = 'test/browser/journeys/**/*.e2e.ts'
