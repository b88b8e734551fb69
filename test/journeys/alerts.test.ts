import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe } from 'vitest'
import { findExecutable } from '../processes/executable.ts'
import { freePort } from '../processes/free-port.ts'
import { it } from '../processes/it.ts'

const promtool = findExecutable('promtool')
const inProject = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const textOf = (path: string) => readFileSync(inProject(path), 'utf8')
const rules = textOf('deploy/alerts.yml')

describe('deploy/alerts.yml', () => {
  it.skipIf(!promtool)('fires for what each rule is for, and for nothing else (needs promtool)', () => {
    for (const [what, file] of [
      ['check', 'deploy/alerts.yml'],
      ['test', 'test/alerts/alerts.test.yml'],
    ] as const)
      assert.match(execFileSync(promtool ?? '', [what, 'rules', inProject(file)], { encoding: 'utf8' }), /SUCCESS/)
  })

  it('has no alert without a test, what to do in the runbook, and what the log says once it was caused', () => {
    const [tests, runbook] = [textOf('test/alerts/alerts.test.yml'), textOf('docs/operations.md')]

    for (const [, alert] of rules.matchAll(/- alert: (\w+)/g)) {
      assert.ok(tests.includes(`${alert} fires`), alert)
      const rows = runbook.split('\n').filter((line) => line.startsWith('|') && line.includes(`\`${alert}\``))
      const cells = rows.map((row) =>
        row
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
      const toDo = cells.find(([first]) => first === `\`${alert}\``)
      const caused = cells.find(([, second = '']) => second.includes(`\`${alert}\``))
      assert.deepEqual([toDo?.filter(Boolean).length, caused?.filter(Boolean).length], [4, 3], alert)
    }
  })
})

/** What an operator asks at night, and the metrics that answer it. */
const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  'which store': ['store_up', 'store_errors_total'],
  'which replica': ['replica_serving'],
  'since when': ['store_state_seconds', 'replica_state_seconds'],
  'how far behind': ['replica_behind_bytes', 'clock_offset_seconds'],
  'what is refused': ['refusals_total'],
  'who is slow': ['request_seconds_bucket{le="2.5"', 'store_seconds_bucket{le="2.5"'],
  'is the last backup good': ['backup_last_success_timestamp_seconds'],
  'does archiving work': ['archive_last_success_timestamp_seconds', 'archive_last_failure_timestamp_seconds'],
  'what waits': ['events_waiting', 'webhook_waiting', 'mail_waiting', 'hash_queue', 'pool_connections'],
  'what changed': ['changed_timestamp_seconds', 'build_info'],
}

interface Panel {
  readonly title: string
  readonly targets: readonly { readonly expr: string }[]
}

describe('deploy/dashboard.json', () => {
  it('has a panel for each question of a night', () => {
    const { panels }: { panels: readonly Panel[] } = JSON.parse(textOf('deploy/dashboard.json'))
    const shown = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n')

    for (const [question, metrics] of Object.entries(QUESTIONS))
      for (const metric of metrics) assert.ok(shown.includes(`gatehouse_${metric}`), `${question}: ${metric}`)
    assert.equal(new Set(panels.map(({ title }) => title)).size, panels.length)
  })
})

describe('deploy/alerts.yml and deploy/dashboard.json', () => {
  it('name only what /metrics has', async ({ program }) => {
    const port = await freePort()
    const { url } = await program.serve({ METRICS_PORT: String(port) })
    await fetch(`${url}/api/nowhere`)
    const shown = await (await fetch(`http://localhost:${port}/metrics`)).text()

    const named = [rules, textOf('deploy/dashboard.json')].flatMap((text) => [
      ...text.matchAll(/\b(gatehouse|process|nodejs)_[a-z0-9_]+/g),
    ])

    const metrics = new Set(named.map(([name]) => name.replace(/_(bucket|count)$/, '')))
    assert.ok(metrics.size > 20)
    // Counted from the first mail on.
    metrics.delete('gatehouse_mails_total')
    for (const name of metrics) assert.ok(shown.includes(`# TYPE ${name} `), name)
  })
})
