import { rawRequest } from '../load/load.ts'
import { atMost, type Bench, type Measure, median, round } from '../load/measure.ts'
import { insertPeople, jsonCall, preparedFolder, sessionToken, startOurs } from '../ours.ts'
import type { Server } from '../server.ts'

const PEOPLE = 2_000
/** With five rounds of a second: twenty windows of twelve seconds. The caches of the stores fill in the first five. */
const WINDOWS_A_ROUND = 4
const WINDOW_SECONDS_A_SECOND = 12

interface Window {
  readonly memory: number
  readonly p99: number
  readonly perSecond: number
  readonly failures: number
}

export const measure: Measure = {
  title: 'Mixed load without a pause: session checks, lists, feedback, credits, 16 connections',
  async run(bench) {
    await using folder = await preparedFolder()
    insertPeople(folder, PEOPLE)
    await using ours = await startOurs(folder)
    const windows: Window[] = []
    for (let i = 0; i < bench.rounds * WINDOWS_A_ROUND; i++) windows.push(await observe(bench, ours))

    const quarter = Math.max(1, Math.floor(windows.length / 4))
    const growth = (pick: (window: Window) => number) =>
      round(median(windows.slice(-quarter).map(pick)) / median(windows.slice(quarter, 2 * quarter).map(pick)))
    const failures = windows.reduce((sum, window) => sum + window.failures, 0)
    return {
      ratios: [
        atMost('requests refused or failed', failures, 0, ''),
        atMost(
          'memory, last quarter against the second',
          growth(({ memory }) => memory),
          1.1,
        ),
        atMost(
          'p99, last quarter against the second',
          growth(({ p99 }) => p99),
          1.5,
        ),
      ],
      figures: windows.map((window, i) => ({
        what: `window ${i + 1}`,
        'per second': Math.round(window.perSecond),
        'p99 ms': round(window.p99),
        'memory MB': Math.round(window.memory),
      })),
    }
  },
}

async function observe({ generator, seconds, core }: Bench, server: Server): Promise<Window> {
  const result = await generator.run({
    port: server.port,
    connections: 16,
    seconds: seconds * WINDOW_SECONDS_A_SECOND,
    core,
    requests: REQUESTS,
  })
  return {
    memory: server.memoryMegabytes(),
    p99: result.p99Milliseconds,
    perSecond: result.perSecond,
    failures: result.failures,
  }
}

const REQUESTS = Array.from({ length: PEOPLE }, (_, i) => mixed(i))

/** Of twenty requests twelve are session checks, three lists, three feedback and two credits. */
function mixed(number: number): string {
  const token = sessionToken(number)
  const turn = number % 20
  if (turn < 12) return rawRequest('GET', '/api/auth/get-session', { authorization: `Bearer ${token}` })
  if (turn < 15) return jsonCall('/api/list_notifications', token, {})
  if (turn < 18) return jsonCall('/api/submit_feedback', token, { type: 'soak', content: `Line ${number}` })
  return jsonCall('/api/get_credit_summary', token, {})
}
