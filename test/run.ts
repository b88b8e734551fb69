import { spawn } from 'node:child_process'
import { startCluster } from './postgres/cluster.ts'
import { WATCHING_PLANS, wholeTableScans } from './postgres/index-watch.ts'

/** Everything there is on SQLite, then again on PostgreSQL what leans on stores; named files run alone. */
const named = process.argv.slice(2)

const EVERYTHING = ['src/**/*.test.ts', 'client/**/*.test.ts', 'test/**/*.test.ts']
const ON_STORES = [
  'src/features/**/*.test.ts',
  'src/http/**/*.test.ts',
  'src/database/**/*.test.ts',
  'src/platform/**/*.test.ts',
  'src/operator/transfer/*.test.ts',
  'test/security/*.test.ts',
]

const cluster = await startCluster({ replicas: 0, settings: WATCHING_PLANS })
const server = cluster.primary.url()

say('On SQLite')
const embedded = await runTests(named.length > 0 ? named : EVERYTHING, {})
say('On PostgreSQL')
const served = await runTests(named.length > 0 ? named : ON_STORES, { TEST_DATABASE_URL: server })
const scans = wholeTableScans(cluster.primary.log())
await cluster.stop()
for (const [statement, table] of scans) say(`No index serves this, it reads all of ${table}:\n${statement}`)
if (embedded || served) say(`SQLite: ${verdict(embedded)}. PostgreSQL: ${verdict(served)}.`)
process.exit(embedded || served || Math.min(scans.size, 1))

function runTests(patterns: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--test', '--test-concurrency=2', ...patterns], {
      stdio: 'inherit',
      env: { ...process.env, ...env },
    })
    child.on('exit', (code) => resolve(code ?? 1))
  })
}

function verdict(code: number): string {
  return code === 0 ? 'all passed' : 'FAILED, see above'
}

function say(line: string): void {
  process.stdout.write(`\n${line}\n\n`)
}
