import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { eventsAfter } from '../../src/features/events/listing.ts'
import { insertIntoOutbox, outboxRow } from '../../src/features/events/outbox-statements.ts'
import { Relay } from '../../src/features/events/relay/relay.ts'
import { eventRow, insertEvent } from '../../src/features/events/statements.ts'
import type { Platform } from '../../src/platform/platform.ts'
import { prepare } from '../../src/serve.ts'
import { command, freshDatabase, schemaUrl, testServer } from '../postgres/databases.ts'
import { makePasswordsCheap } from '../service/fakes/cheap-passwords.ts'

const relay = fileURLToPath(new URL('support/relay.ts', import.meta.url))
const SHARD = 'apac-1'
const STEPS = ['read', 'placed', 'cleared'] as const

type Env = Readonly<Record<string, string>>

async function onFiles(work: (env: Env) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-relay-'))
  try {
    await work({ DATA_DIR: folder })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function onServer(work: (env: Env) => Promise<void>): Promise<void> {
  const server = await testServer()
  const database = await freshDatabase(server.url)
  try {
    await command(database.url, `create schema "${SHARD}"`)
    await onFiles((env) =>
      work({
        ...env,
        DATABASE_URL: database.url,
        SHARDS: `${SHARD}:apac=${schemaUrl(database.url, SHARD)}`,
      }),
    )
  } finally {
    await database.drop()
    await server.stop()
  }
}

/** One in the global store and one in a shard. */
async function happen({ meta, shards, now }: Platform): Promise<readonly string[]> {
  const shard = shards.get(SHARD) ?? assert.fail()
  const rows = [1, 2].map(() => eventRow({ type: 'settings.saved', user_id: null, data: {} }, now()))
  const [own = assert.fail(), theirs = assert.fail()] = rows
  await meta.batch([insertEvent(meta, own)])
  await shard.batch([insertIntoOutbox(shard, outboxRow(theirs))])
  return rows.map(({ id }) => id)
}

/** Ends a relay of another process when it has done this step. */
async function killAt(step: string, env: Env): Promise<void> {
  const child = spawn(process.execPath, [relay, step], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await once(child.stdout, 'data')
  assert.equal(String(said).trim(), step)
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function relayAll(platform: Platform): Promise<void> {
  const relay = new Relay(platform)
  while ((await relay.turn()) === 'more');
}

/** Reads on from the end of the order. */
async function readerOf(platform: Platform) {
  let { next: after } = await eventsAfter(platform, { after: 'latest', limit: 1 })
  const read: string[] = []
  return {
    read,
    async readOn() {
      const { items, next } = await eventsAfter(platform, { after, limit: 100 })
      read.push(...items.map(({ id }) => id))
      after = next
    },
  }
}

async function survivesEachStep(platform: Platform, env: Env): Promise<void> {
  await relayAll(platform)
  const { read, readOn } = await readerOf(platform)
  const written: string[] = []
  for (const step of STEPS) {
    written.push(...(await happen(platform)))
    await killAt(step, env)
    await readOn()
    assert.equal(read.length, written.length - (step === 'read' ? 2 : 0), `killed at ${step}`)
    written.push(...(await happen(platform)))
    await relayAll(platform)
    await readOn()
    assert.deepEqual(read, written, `after ${step}`)
  }
}

describe('a relay that is killed', () => {
  for (const [engine, on] of [
    ['files', onFiles],
    ['PostgreSQL', onServer],
  ] as const) {
    it(`at any of its steps loses, repeats and skips nothing, on ${engine}`, () =>
      on(async (env) => {
        await makePasswordsCheap(env)
        const { platform } = await prepare(readConfig(env))
        try {
          await survivesEachStep(platform, env)
        } finally {
          await platform.close()
        }
      }))
  }
})
