import { loadavg } from 'node:os'
import { type BrowserContextOptions, chromium } from 'playwright-core'
import { v7 as newId } from 'uuid'
import { findChromium } from '../../../test/browser/support/chromium.ts'
import { atMost, type Measure, median, round } from '../../load/measure.ts'
import {
  administratorToken,
  type Folder,
  insertPeople,
  insertRows,
  preparedFolder,
  startOurs,
  userId,
} from '../../ours.ts'
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
    await using folder = await preparedFolder()
    insertPeople(folder, PEOPLE)
    insertFeedbacks(folder, PEOPLE)
    const token = administratorToken(folder)
    await using server = await startOurs(folder)
    const { executablePath, env } = await findChromium()
    const browser = await chromium.launch({
      executablePath,
      env: { ...process.env, ...env },
      args: ['--no-sandbox', '--disable-gpu'],
    })
    await using _ = { [Symbol.asyncDispose]: () => browser.close() }
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
    return {
      ratios: [
        atMost('first visit, transferred', round(median(fast.map(({ bytes }) => bytes)) / 1024), 125, 'KB'),
        atMost('first visit, requests', median(fast.map(({ requests }) => requests)), 12, ''),
        atMost('largest paint on a slow phone, median', paintOf(phone), 1_800, 'ms'),
        atMost(
          'a click in the console shows its rows, median of the slowest list',
          round(Math.max(...clicks.map(({ milliseconds }) => median(milliseconds)))),
          100,
          'ms',
        ),
        atMost(`long tasks in ${TURNS} turns of a page of 20 users`, longTasks.length, 0, ''),
        atMost(`long tasks in ${TURNS} turns of a page of 100 users`, ofHundred.length, 0, ''),
      ],
      figures: [
        {
          what: 'first visit',
          'largest paint ms': paintOf(fast),
          spread: spreadOf(fast.map(({ paint }) => paint)),
        },
        {
          what: 'slow phone',
          'largest paint ms': paintOf(phone),
          spread: spreadOf(phone.map(({ paint }) => paint)),
        },
        ...clicks.map(({ path, milliseconds }) => ({
          what: path,
          'rows ms': Math.round(median(milliseconds)),
          spread: spreadOf(milliseconds),
        })),
        { what: 'long tasks, pages of 20', 'each, ms': longTasks.join(' ') },
        { what: 'long tasks, pages of 100', 'each, ms': ofHundred.join(' ') },
        { what: 'the machine', 'load of the last minute': loadavg()[0] ?? 0 },
      ],
    }
  },
}

const paintOf = (all: readonly { readonly paint: number }[]) => Math.round(median(all.map(({ paint }) => paint)))
const spreadOf = (all: readonly number[]) => `${Math.round(Math.min(...all))} to ${Math.round(Math.max(...all))}`

/** The same number of rows in each shard, newest last, with the counters that submitting keeps. */
function insertFeedbacks(folder: Folder, rowsInShard: number): void {
  for (const shard of ['apac-1', 'weur-1', 'oc-1'] as const) {
    const rows = Array.from({ length: rowsInShard }, (_, i) => {
      const at = 1_700_000_000_000 + i * 1_000
      const sent = { type: TYPES[i % TYPES.length] ?? '', content: `What I wanted to say, number ${i}`, note: '' }
      return { id: newId(), user_id: userId(i % 1_000), ...sent, status: 'new', created_at: at, updated_at: at }
    })
    insertRows(folder, shard, 'feedbacks', rows)
    using database = folder.open(shard)
    database.exec(COUNT_FEEDBACKS)
  }
}

const TYPES = ['bug', 'idea', 'praise', 'question']
