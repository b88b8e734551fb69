import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { DAY_MILLISECONDS } from '../../src/rules/time.ts'
import { tokenHash } from '../../src/rules/tokens.ts'
import { atMost, compare, figureOf, type Measure, pick, round, roundByRound } from '../load/measure.ts'
import {
  accessToken,
  Closing,
  type Folder,
  insertGrants,
  insertPeople,
  jsonCall,
  preparedFolder,
  startOurs,
} from '../ours.ts'
import type { Server } from '../server.ts'

const CONNECTIONS = 32
const PEOPLE = 1_000
const GUESTS = 200
const SCOPE = 'operations:notifications:read'
const SETTLED_MILLISECONDS = 2_000

/** A tool's call at `/mcp` beside the same call to its route, and assistants whose calls wait for news. */
export const measure: Measure = {
  title: `Tool calls at /mcp against the route itself, ${CONNECTIONS} connections; ${GUESTS} open calls`,
  async run(bench) {
    await using folder = await preparedFolder()
    insertPeople(folder, PEOPLE)
    insertGrants(folder, PEOPLE, SCOPE)
    insertGuests(folder)
    await using ours = await startOurs(folder)
    await assertSameList(ours)
    // First, since the load leaves memory behind in which the calls would find room.
    const memory = await memoryOfOpenCalls(ours)
    const results = await compare(bench, [
      contender('tool at /mcp', ours, (token) => toolCall('list_notifications', token)),
      contender('its route', ours, (token) => jsonCall('/api/list_notifications', token, {})),
    ])
    // A refusal is a response of 200 there.
    await assertSameList(ours)
    const ratio = roundByRound(pick(results, 'tool at /mcp'), pick(results, 'its route'))
    return {
      ratios: [
        atMost('a tool call against its route, in processor time', round(ratio), 1.3),
        atMost(`memory of ${GUESTS} open calls`, round(memory.after - memory.before), 100, 'MB'),
      ],
      figures: [
        ...[...results.values()].map(figureOf),
        { what: `${GUESTS} open calls`, 'MB before': round(memory.before), 'MB after': round(memory.after) },
      ],
    }
  },
}

function contender(name: string, server: Server, call: (token: string) => string) {
  const requests = Array.from({ length: PEOPLE }, (_, i) => call(accessToken(i)))
  return { name, server, load: { connections: CONNECTIONS, requests } }
}

async function assertSameList(ours: Server): Promise<void> {
  const headers = { authorization: `Bearer ${accessToken(0)}`, 'content-type': 'application/json' }
  const ask = async (path: string, body: object) => {
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(`http://127.0.0.1:${ours.port}${path}`, request)).text()
  }
  const { result } = JSON.parse(await ask('/mcp', message('list_notifications', {})))
  assert.equal(result.content[0].text, await ask('/api/list_notifications', {}))
}

function message(name: string, args: object) {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
}

function toolCall(name: string, token: string): string {
  return jsonCall('/mcp', token, message(name, {}), { accept: 'application/json, text/event-stream' })
}

function guestToken(number: number): string {
  return accessToken(PEOPLE + number)
}

/** Connections of the administrator, since only their tools can wait for news. */
function insertGuests(folder: Folder): void {
  using meta = new Closing(folder.open('meta'))
  const now = Date.now()
  const grant = meta.prepare(
    `insert into api_grant
       (id, user_id, client_id, client_name, target_origin, scopes, created_at, last_used_at, expires_at)
     select ?, id, 'cli-client', 'guest', 'http://localhost:5173', 'admin:events:read', ?, ?, ?
     from user where role = 'administrator'`,
  )
  const access = meta.prepare(
    `insert into access_token (token_hash, grant_id, scopes, created_at, expires_at)
     values (?, ?, 'admin:events:read', ?, ?)`,
  )
  meta.inOneCommit(() => {
    for (let i = 0; i < GUESTS; i++) {
      grant.run(`guest-${i}`, now, now, now + DAY_MILLISECONDS)
      access.run(tokenHash(guestToken(i)), `guest-${i}`, now, now + DAY_MILLISECONDS)
    }
  })
}

/** Each has been sent and waits for the next event. */
async function memoryOfOpenCalls({ port, memoryMegabytes }: Server) {
  const leaving = new AbortController()
  const call = async (number: number, args: object) => {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${guestToken(number)}`, 'content-type': 'application/json' },
      body: JSON.stringify(message('admin_list_events', args)),
      signal: leaving.signal,
    })
    const { result } = JSON.parse(await response.text())
    return JSON.parse(result.content[0].text)
  }
  // The administrator's own event may still have to take its place.
  const { next } = await call(0, { limit: 1_000, wait_seconds: 25 })
  const before = memoryMegabytes()
  let waiting = GUESTS
  const ended = () => {
    waiting--
  }
  const calls = Array.from({ length: GUESTS }, (_, i) => call(i, { after: next, wait_seconds: 25 }).then(ended, ended))
  await pause(SETTLED_MILLISECONDS)
  const after = memoryMegabytes()
  if (waiting < GUESTS) throw new Error(`only ${waiting} calls are open`)
  leaving.abort()
  await Promise.all(calls)
  return { before, after }
}
