import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { startSmtpServer } from '../../test/processes/smtp-server.ts'
import { rawRequest } from '../load/load.ts'
import { atLeast, atMost, type Bench, type Measure, median, type Outcome, round } from '../load/measure.ts'
import { administratorToken, insertPeople, preparedFolder, sessionToken, startOurs } from '../ours.ts'
import type { Server } from '../server.ts'

const USERS = 5_000
const READERS = 100_000
const MEGABYTES_AT_MOST = 100
const SENDING_SECONDS = 10

/** The open pages and the mail server are in this process. */
export const measure: Measure = {
  title: `Pages that stay open, and an announcement with letters to ${READERS} users`,
  async run(bench) {
    const [pages, announced] = [await open(bench), await announce(bench)]
    return {
      ratios: [...pages.ratios, ...announced.ratios],
      figures: [...pages.figures, ...announced.figures],
    }
  },
}

const CHECKS = Array.from({ length: 1_000 }, (_, i) =>
  rawRequest('GET', '/api/auth/get-session', { authorization: `Bearer ${sessionToken(i)}` }),
)

/**
 * Published at once, and then mailed to one user after the other. Beside the session checks of everybody else sending
 * stops and goes on in turn, since a machine is never the same for half a minute.
 */
async function announce({ generator, seconds, rounds, core }: Bench): Promise<Outcome> {
  await using folder = await preparedFolder()
  insertPeople(folder, READERS)
  const token = administratorToken(folder)
  await using smtp = await startSmtpServer()
  await using ours = await startOurs(folder, { SMTP_URL: smtp.url })
  const chooseProvider = async (provider: 'smtp' | null) => {
    const { version } = await post(ours, token, '/api/admin/get_email_config', {})
    await post(ours, token, '/api/admin/update_email_config', { expected_version: version, provider })
  }
  const checks = async () => {
    const before = smtp.messages.length
    const result = await generator.run({ connections: 4, requests: CHECKS, port: ours.port, seconds, core })
    if (result.failures > 0) throw new Error(`${result.failures} checks were refused`)
    return { ...result, letters: (smtp.messages.length - before) / seconds }
  }
  await chooseProvider('smtp')
  await checks()

  const started = performance.now()
  const sent = { title: 'Version 2', content: 'It starts in half the time.', also_email: true }
  await post(ours, token, '/api/admin/create_notification', sent)
  const queued = performance.now() - started
  const turns: Record<'without' | 'beside', Awaited<ReturnType<typeof checks>>>[] = []
  for (let turn = 0; turn < rounds; turn++) {
    await chooseProvider(null)
    const without = await checks()
    await chooseProvider('smtp')
    turns.push({ without, beside: await checks() })
  }
  const before = smtp.messages.length
  await wait(SENDING_SECONDS * 1_000)
  const alone = (smtp.messages.length - before) / SENDING_SECONDS
  if (alone === 0) throw new Error('no letters are sent')
  const of = (figure: 'perSecond' | 'p99Milliseconds') =>
    median(turns.map(({ without, beside }) => beside[figure] / without[figure]))
  return {
    ratios: [
      atMost(`until a letter to ${READERS} users is certain to be sent`, round(queued), 5_000, 'ms'),
      atLeast('session checks while they are sent, against before', round(of('perSecond')), 0.75),
      atMost('slowest percent of them, against before', round(of('p99Milliseconds')), 2),
    ],
    figures: [
      {
        what: 'letters to a provider that takes them at once',
        'per second': round(alone),
        'beside as many requests as fit': round(median(turns.map(({ beside }) => beside.letters))),
      },
    ],
  }
}

async function post({ port }: Server, token: string, path: string, body: object): Promise<{ version: number }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`)
  return JSON.parse(text)
}

/** Session checks beside pages that stay open, and without them, in turn. */
async function open(bench: Bench): Promise<Outcome> {
  await using folder = await preparedFolder()
  insertPeople(folder, USERS)
  await using ours = await startOurs(folder)
  const { generator, seconds, core } = bench
  const checks = async () => {
    const cpu = ours.cpuMilliseconds()
    const result = await generator.run({ connections: 32, requests: CHECKS, port: ours.port, seconds, core })
    if (result.failures > 0) throw new Error(`${result.failures} checks were refused`)
    return (1000 * result.requests) / (ours.cpuMilliseconds() - cpu)
  }
  await checks()
  const idle = ours.memoryMegabytes()
  const ratios: number[] = []
  let grown = 0
  for (let turn = 0; turn < bench.rounds; turn++) {
    const without = await checks()
    const pages = await openPages(ours)
    if (turn === 0) grown = ours.memoryMegabytes() - idle
    ratios.push((await checks()) / without)
    for (const page of pages) page.destroy()
  }
  return {
    ratios: [
      atMost(`memory of ${USERS} open pages`, round(grown), MEGABYTES_AT_MOST, 'MB'),
      atLeast('session checks for each second of the processor beside them', round(median(ratios)), 0.9),
    ],
    figures: [{ what: 'an open page', KB: round((grown * 1024) / USERS) }],
  }
}

const OPENING_AT_ONCE = 50

async function openPages({ port }: Server): Promise<readonly Socket[]> {
  const pages: Socket[] = []
  for (let first = 0; first < USERS; first += OPENING_AT_ONCE) {
    const some = Array.from({ length: OPENING_AT_ONCE }, (_, i) => openPage(port, sessionToken(first + i)))
    pages.push(...(await Promise.all(some)))
  }
  return pages
}

async function openPage(port: number, token: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.write(rawRequest('GET', '/api/live', { authorization: `Bearer ${token}` }))
  let text = ''
  while (!text.includes('event: unread')) {
    const [data] = await once(socket, 'data')
    text += data
    if (!text.startsWith('HTTP/1.1 200')) throw new Error(text)
  }
  socket.on('data', () => undefined)
  return socket
}
