import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atMost, type Figure, type Measure, quantile } from '../load/measure.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const released = join(root, 'dist/gatehouse.mjs')
const starts = 30

export const measure: Measure = {
  title: 'Start of the released client, milliseconds from spawn to end',
  async run() {
    const build = spawnSync(process.execPath, ['scripts/bundle.ts'], { cwd: root, stdio: 'inherit' })
    if (build.status !== 0) throw new Error('the bundle could not be made')
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'))
    try {
      const figures = [
        time('node -e 0, for comparison', ['-e', '0'], folder),
        time('gatehouse --help', [released, '--help'], folder),
        time('gatehouse status', [released, 'status'], folder),
        time('gatehouse scopes', [released, 'scopes'], folder),
        time('gatehouse completion', [released, 'completion', '--candidates', '--', 'request', ''], folder),
      ]
      const slowest = Math.max(...figures.slice(1).map(({ median }) => Number(median)))
      return { ratios: [atMost('slowest start', slowest, 100, 'ms')], figures }
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

function time(what: string, args: readonly string[], folder: string): Figure {
  const milliseconds = Array.from({ length: starts }, () => {
    const began = performance.now()
    const { status } = spawnSync(process.execPath, args, { env: { GATEHOUSE_CONFIG_DIR: folder } })
    if (status !== 0) throw new Error(`${what} failed`)
    return performance.now() - began
  })
  return {
    what,
    median: Math.round(quantile(milliseconds, 0.5)),
    fastest: Math.round(quantile(milliseconds, 0)),
    p90: Math.round(quantile(milliseconds, 0.9)),
  }
}
