import { chmodSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { spec, type TestEvent } from 'node:test/reporters'
import { findChromium } from './browser/support/chromium.ts'
import { startCluster } from './postgres/cluster.ts'
import { roomyMemory, temporaryFolder } from './postgres/folder.ts'
import { costlyPlans, WATCHING_PLANS } from './postgres/index-watch.ts'
import { atOnce } from './runner/at-once.ts'
import { Hindrance } from './runner/hindrance.ts'
import { ON_STORES } from './runner/on-stores.ts'
import { descendants, endAll } from './runner/process-tree.ts'
import { closingLines, failures, line, type Part, summary } from './runner/report.ts'
import { type FileRun, runTestFiles } from './runner/run-file.ts'
import { together } from './runner/together/groups.ts'

/**
 * Runs everything on SQLite, then the tests that use stores again on PostgreSQL; named files run alone, on
 * both.
 */
const named = process.argv.slice(2)

// Those that take long come first, so that nothing runs alone at the end.
const EVERYTHING = [
  'test/faults/**/*.test.ts',
  'test/browser/**/*.test.ts',
  'test/**/*.test.ts',
  'client/**/*.test.ts',
  'packages/**/*.test.ts',
  'src/**/*.test.ts',
]

const limitSeconds = Number(process.env.TEST_FILE_LIMIT_SECONDS ?? 600)
// One more than there are cores: most files wait for a disk, a browser or a timer part of their time.
const filesAtOnce = availableParallelism() + 1
const start = performance.now()
const parts: Part[] = []
const reasons: string[] = []

try {
  const missing = named.filter((pattern) => globSync(pattern).length === 0)
  if (missing.length > 0) throw new Hindrance(`no file matches ${missing.join(', ')}`)
  writeIntoOneFolder()
  compileOnce()
  await pipeline(everything, spec(), process.stdout, { end: false })
} catch (error) {
  if (!(error instanceof Hindrance)) throw error
  reasons.push(error.message)
}
for (const reason of reasons) process.stderr.write(`\nnpm test: ${reason}\n`)
process.exit(reasons.length === 0 ? 0 : 1)

async function* everything(): AsyncGenerator<TestEvent> {
  // Before any test needs it, so that no two unpack it beside each other.
  await findChromium()
  const cluster = await startCluster({ replicas: 0, settings: WATCHING_PLANS })
  yield* part('SQLite', EVERYTHING, {})
  yield* part('PostgreSQL', ON_STORES, { TEST_DATABASE_URL: cluster.primary.url() })
  const { wholeTables, joinsBeforeLimit } = await costlyPlans(cluster.primary.logLines())
  await cluster.stop()

  for (const [sql, table] of wholeTables)
    yield line(`\nNo index serves this, it reads all of ${table}:\n${sql}`)
  for (const sql of joinsBeforeLimit) yield line(`\nThis joins before it takes its page:\n${sql}`)
  if (wholeTables.size > 0) reasons.push(`${wholeTables.size} statements read a whole table`)
  if (joinsBeforeLimit.size > 0)
    reasons.push(`${joinsBeforeLimit.size} statements join before they take their page`)
  reasons.push(...failures(parts, Boolean(process.env.CI)))
  for (const text of summary(parts)) yield line(text)
  yield* closingLines(parts, (performance.now() - start) / 1000)
}

async function* part(
  name: string,
  patterns: readonly string[],
  env: Readonly<Record<string, string>>,
): AsyncGenerator<TestEvent> {
  yield line(`\nOn ${name}\n`)
  const files = filesOf(named.length > 0 ? named : patterns)
  const processes = named.length > 0 ? files.map((file) => [file] as const) : together(files)
  const done: FileRun[] = []
  parts.push({ name, runs: done })
  for await (const run of atOnce(filesAtOnce, processes, (paths) =>
    runTestFiles(paths, { limitSeconds, env }),
  )) {
    done.push(run)
    yield* run.events
  }
}

function filesOf(patterns: readonly string[]): readonly string[] {
  return [
    ...new Set(patterns.flatMap((pattern) => globSync(pattern).toSorted()).map((file) => resolve(file))),
  ]
}

/** Hundreds of processes load the same modules: stripping types and compiling was a third of most files' time. */
function compileOnce(): void {
  process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/compiled')
}

/** Tests write into one folder, and nothing that they start outlives this process. */
function writeIntoOneFolder(): void {
  const parent = temporaryFolder([...roomyMemory(), tmpdir(), '/tmp', '/var/tmp'])
  const folder = mkdtempSync(join(parent, 'gatehouse-tests-'))
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(signal, () => process.exit(1))
  process.once('exit', () => {
    endAll(descendants())
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
}
