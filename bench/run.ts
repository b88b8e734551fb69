import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readOptions } from '../test/processes/read-options.ts'
import { cores } from './load/cores.ts'
import { Generator } from './load/generator.ts'
import type { Bench, Measure } from './load/measure.ts'
import { newRun, report } from './report.ts'

/** Runs every measure, or those named, one after the other. */
const here = fileURLToPath(new URL('.', import.meta.url))
const files = readdirSync(`${here}measures`, { recursive: true, encoding: 'utf8' })
const measures = new Map(
  files
    .filter((file) => file.endsWith('.bench.ts'))
    .map((file) => [basename(file, '.bench.ts'), `${here}measures/${file}`]),
)
const all = [...measures.keys()].sort()
const USAGE = `npm run bench -- [MEASURE…] [--rounds N] [--seconds N]
MEASURE is one of: ${all.join(', ')}`
const { positionals: wanted, values } = readOptions(USAGE, {
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '2' } },
})
const unknown = wanted.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`No benchmark is called ${unknown.join(', ')}\n${USAGE}\n`)
  process.exit(2)
}
installPeers()
const lengths = { rounds: Number(values.rounds), seconds: Number(values.seconds) }
const run = newRun(lengths)
for (const [name, file] of measures) {
  if (wanted.length === 0 || wanted.includes(name)) await runMeasure(name, file)
}

async function runMeasure(name: string, file: string): Promise<void> {
  try {
    const { measure }: { measure: Measure } = await import(file)
    await using generator = new Generator()
    const bench: Bench = { generator, ...lengths, core: cores.isPinned ? 'own' : 'shared' }
    report(name, measure, await measure.run(bench), run)
  } catch (error) {
    // The others are still measured, and the run ends with 1.
    process.stderr.write(`\n${name} failed: ${error instanceof Error ? error.stack : error}\n`)
    process.exitCode = 1
  }
}

/** They have their own lock file and are installed only here: the product depends on none of them. */
function installPeers(): void {
  if (existsSync(`${here}peers/node_modules/.package-lock.json`)) return
  process.stderr.write('Installing the peers (once) …\n')
  const { status } = spawnSync('npm', ['ci', '--loglevel=error', '--no-audit', '--no-fund'], {
    cwd: `${here}peers`,
    stdio: 'inherit',
  })
  if (status !== 0) process.exit(status ?? 1)
}
