import { loadavg } from 'node:os'
import { type BrowserContextOptions, chromium } from 'playwright-core'
import { v7 as newId } from 'uuid'
import { findChromium } from '../../../test/browser/support/chromium.ts'
import { atMost, type Figure, type Measure, median, round } from '../../load/measure.ts'
import { administratorToken, type Folder, folderOf, insertRows, startOurs, userId } from '../../ours.ts'
import { COUNT_FEEDBACKS } from '../../rows/many-people.ts'
import { clickThrough, turnPages } from './console.ts'
import { type Open, visits } from './visits.ts'

const PEOPLE = 10_000
const TURNS = 20
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, isMobile: true }

/** In Chromium, as a user has it: the first visit, a click in the console, and paging. */
export const measure: Measure = {
  title: `The pages in Chromium: first visit to sign-in, clicks and paging in the console with ${PEOPLE} users`,
  async run({ rounds }) {
    await using folder = await folderOf(PEOPLE)
    insertFeedbacks(folder, PEOPLE)
    const token = administratorToken(folder)
    await using server = await startOurs(folder)
    const { executablePath, env } = await findChromium()
    const args = ['--no-sandbox', '--disable-gpu']
    await using browser = await chromium.launch({ executablePath, env: { ...process.env, ...env }, args })
    const baseURL = `http://localhost:${server.port}`
    const open: Open = (options = {}) => browser.newContext({ baseURL, ...options })

    const fast = await visits(open, rounds, {})
    const phone = await visits(open, rounds, PHONE)
    await using context = await open()
    await context.addCookies([{ name: 'session', value: token, url: baseURL }])
    const page = await context.newPage()
    const clicks = await clickThrough(page, rounds)
    const longTasks = await turnPages(page, 20, TURNS)
    const ofHundred = await turnPages(page, 100, TURNS)
    const slowest = Math.max(...clicks.map(({ milliseconds }) => median(milliseconds)))
    return {
      ratios: [
        atMost('first visit, transferred', round(median(fast.map(({ bytes }) => bytes)) / 1024), 125, 'KB'),
        atMost('first visit, requests', median(fast.map(({ requests }) => requests)), 12, ''),
        atMost('largest paint on a slow phone, median', paintOf(phone), 1_800, 'ms'),
        atMost('a click in the console shows its rows, median of the slowest list', round(slowest), 100, 'ms'),
        atMost(`long tasks in ${TURNS} turns of a page of 20 users`, longTasks.length, 0, ''),
        atMost(`long tasks in ${TURNS} turns of a page of 100 users`, ofHundred.length, 0, ''),
      ],
      figures: [
        paintsOf('first visit', fast),
        paintsOf('slow phone', phone),
        ...clicks.map(({ path: what, milliseconds }) => {
          return { what, 'rows ms': Math.round(median(milliseconds)), spread: spreadOf(milliseconds) }
        }),
        { what: 'long tasks, pages of 20', 'each, ms': longTasks.join(' ') },
        { what: 'long tasks, pages of 100', 'each, ms': ofHundred.join(' ') },
        { what: 'the machine', 'load of the last minute': loadavg()[0] ?? 0 },
      ],
    }
  },
}

type Visits = Awaited<ReturnType<typeof visits>>
const paintOf = (all: Visits) => Math.round(median(all.map(({ paint }) => paint)))
const spreadOf = (all: readonly number[]) => `${Math.round(Math.min(...all))} to ${Math.round(Math.max(...all))}`
const paintsOf = (what: string, all: Visits): Figure => {
  return { what, 'largest paint ms': paintOf(all), spread: spreadOf(all.map(({ paint }) => paint)) }
}

/** The same number of rows in each shard, newest last, with the counters that submitting keeps. */
function insertFeedbacks(folder: Folder, rowsInShard: number): void {
  for (const shard of ['apac-1', 'weur-1', 'oc-1'] as const) {
    insertRows(folder, shard, 'feedbacks', rowsInShard, (i) => {
      const at = 1_700_000_000_000 + i * 1_000
      const sent = { type: TYPES[i % TYPES.length] ?? '', content: `What I wanted to say, number ${i}`, note: '' }
      return { id: newId(), user_id: userId(i % 1_000), ...sent, status: 'new', created_at: at, updated_at: at }
    })
    using database = folder.open(shard)
    database.exec(COUNT_FEEDBACKS)
  }
}

const TYPES = ['bug', 'idea', 'praise', 'question']
