import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { atLeast, atMost, type Bench, type Figure, type Measure, median, type Ratio, round } from '../load/measure.ts'
import {
  administratorToken,
  type Folder,
  insertPeople,
  jsonCall,
  preparedFolder,
  sessionToken,
  startOurs,
  startOursAs,
} from '../ours.ts'
import type { Server } from '../server.ts'

const USERS = 5_000
const SHARD = 'apac-1'
const ENDPOINTS = 4
const BACKLOG = 20_000
const STEADY_PER_SECOND = 500
const STEADY_SECONDS = 10
const EVENT_TYPE = 'notification.published'
const LOCAL = { WEBHOOK_NETWORKS: '127.0.0.0/8' }

/** One server with its own stores; the receiver is in this process. */
export const measure: Measure = {
  title: 'Events: what they add to a write, and how fast they arrive',
  async run(bench) {
    const parts = [await writing(bench), await delivering()]
    return {
      ratios: parts.flatMap(({ ratios }) => ratios),
      figures: parts.flatMap(({ figures }) => figures),
    }
  },
}

interface Part {
  readonly ratios: readonly Ratio[]
  readonly figures: readonly Figure[]
}

const FEEDBACK = { type: 'idea', content: 'It would help me to see what came of what I said.' }

/** The same write, once with its event, which is then moved to the global store and numbered, and once without. */
async function writing(bench: Bench): Promise<Part> {
  await using folder = await preparedFolder()
  await using plainFolder = await preparedFolder()
  for (const one of [folder, plainFolder]) insertPeople(one, USERS)
  // Both run from sources; otherwise a bundle would be compared with sources.
  await using ours = await startOursAs([process.execPath, 'src/main.ts', 'serve'], folder)
  await using plain = await startOursAs([process.execPath, 'bench/servers/without-events.ts', 'serve'], plainFolder)
  const requests = Array.from({ length: USERS }, (_, i) => jsonCall('/api/submit_feedback', sessionToken(i), FEEDBACK))
  const costOf = async (server: Server) => {
    const before = server.cpuMilliseconds()
    const { seconds, core } = bench
    const result = await bench.generator.run({ connections: 32, requests, port: server.port, seconds, core })
    await untilRelayed(folder)
    if (result.failures > 0) throw new Error(`${result.failures} writes were refused`)
    return ((server.cpuMilliseconds() - before) * 1000) / result.requests
  }
  const cost: { ours: number; plain: number }[] = []
  for (let turn = -1; turn < bench.rounds; turn++) {
    const pair = { ours: await costOf(ours), plain: await costOf(plain) }
    if (turn >= 0) cost.push(pair)
  }
  if (eventsIn(folder) === 0 || eventsIn(plainFolder) > 0) throw new Error('Only one of the two may write events.')
  const ratio = median(cost.map((pair) => pair.ours / pair.plain))
  return {
    ratios: [atMost('processor time of a write with its event', round(ratio), 1.15)],
    figures: [
      { what: 'submit_feedback with its event', 'CPU µs': round(median(cost.map((one) => one.ours))) },
      { what: 'submit_feedback without', 'CPU µs': round(median(cost.map((one) => one.plain))) },
    ],
  }
}

async function untilRelayed(folder: Folder): Promise<void> {
  using shard = folder.open(SHARD)
  const left = shard.prepare('select count(*) as count from event_outbox')
  while (Number(left.get()?.count) > 0) await wait(20)
}

function eventsIn(folder: Folder): number {
  using meta = folder.open('meta')
  const written = meta.prepare("select count(*) as count from event where type = 'feedback.created'")
  return Number(written.get()?.count)
}

/** From the store to a receiver that responds at once. */
async function delivering(): Promise<Part> {
  await using folder = await preparedFolder()
  const token = administratorToken(folder)
  await using receiver = await startReceiver()
  await using ours = await startOurs(folder, LOCAL)
  for (let i = 0; i < ENDPOINTS; i++)
    await call(ours, token, '/api/admin/create_webhook', {
      url: `${receiver.url}/${i}`,
      types: [EVENT_TYPE],
    })
  const cpu = ours.cpuMilliseconds()
  const started = performance.now()
  insertEvents(folder, BACKLOG / ENDPOINTS)
  await receiver.until(BACKLOG)
  const seconds = (performance.now() - started) / 1000
  const cpuSeconds = (ours.cpuMilliseconds() - cpu) / 1000

  receiver.forget()
  await steadily(folder)
  await receiver.until(STEADY_PER_SECOND * STEADY_SECONDS)
  const late = median(receiver.milliseconds)
  return {
    ratios: [
      atLeast('deliveries a second', round(BACKLOG / seconds), 2_000, ''),
      atLeast('deliveries a second of the processor', round(BACKLOG / cpuSeconds), 2_000, ''),
      atMost(`median from commit to receipt at ${STEADY_PER_SECOND} a second`, round(late), 1_000, 'ms'),
    ],
    figures: [{ what: 'a delivery', 'CPU µs': round((cpuSeconds * 1e6) / BACKLOG) }],
  }
}

async function steadily(folder: Folder): Promise<void> {
  const started = performance.now()
  const total = (STEADY_PER_SECOND * STEADY_SECONDS) / ENDPOINTS
  for (let written = 0; written < total; ) {
    const due = Math.min(total, ((performance.now() - started) / 1000) * (STEADY_PER_SECOND / ENDPOINTS))
    const count = Math.floor(due) - written
    if (count > 0) insertEvents(folder, count)
    written += count
    await wait(10)
  }
}

let events = 0

/** As a batch of the service writes them; committed when it returns. */
function insertEvents(folder: Folder, count: number): void {
  using meta = folder.open('meta')
  meta.exec('pragma busy_timeout = 10000')
  const insert = meta.prepare(
    `insert into event (id, created_at, action, details, type, data) values (?, ?, '', '{}', ?, '{}')`,
  )
  meta.exec('begin immediate')
  for (let i = 0; i < count; i++) insert.run(`event ${String(events++).padStart(9, '0')}`, Date.now(), EVENT_TYPE)
  meta.exec('commit')
}

async function startReceiver() {
  const milliseconds: number[] = []
  let count = 0
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    count++
    milliseconds.push(Date.now() - JSON.parse(body).occurred_at)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    milliseconds,
    forget() {
      count = 0
      milliseconds.length = 0
    },
    async until(wanted: number) {
      while (count < wanted) await wait(5)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function call({ port }: Server, token: string, path: string, body: object): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
}
