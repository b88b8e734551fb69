import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, it } from 'vitest'
import { STEPS } from '../../src/features/moves/user-move.ts'
import { command, freshDatabase, schemaUrl, testServer } from '../postgres/databases.ts'
import { Installation } from '../processes/installation.ts'
import { makePasswordsCheap } from '../service/fakes/cheap-passwords.ts'
import { Visitor } from '../service/wire/visitor.ts'

const moverScript = fileURLToPath(new URL('support/mover.ts', import.meta.url))
const server = await testServer()
afterAll(() => server.stop())

interface House {
  readonly name: string
  open(): Promise<{ readonly env: Readonly<Record<string, string>>; drop(): Promise<void> }>
}

async function onPostgres() {
  const database = await freshDatabase(server.url)
  const ids = ['apac-1', 'weur-1'] as const
  await command(database.url, ids.map((id) => `create schema "${id}";`).join(''))
  const shards = ids.map((id) => `${id}:${id.slice(0, 4)}=${schemaUrl(database.url, id)}`).join(',')
  return { env: { DATABASE_URL: database.url, SHARDS: shards }, drop: () => database.drop() }
}

const HOUSES: readonly House[] = [
  { name: 'SQLite', open: async () => ({ env: {}, drop: async () => undefined }) },
  { name: 'PostgreSQL', open: onPostgres },
]

describe('a mover that is killed at each step while the user writes', () => {
  for (const { name, open } of HOUSES) {
    it(`${name}: nothing that was acknowledged is lost or doubled`, async () => {
      await using program = new Installation()
      const { env, drop } = await open()
      await makePasswordsCheap({ ...env, DATA_DIR: program.dataDir })
      // The user writes faster than any person.
      const { url, output, child } = await program.serve({ ...env, USER_LIMIT_FACTOR: '1000' })
      const { ann, administrator } = await visitors(url, program, env)
      const writing = keepWriting(ann)

      for (const step of STEPS) await killAt(step, ann.id, { ...env, DATA_DIR: program.dataDir })
      const moved = await program.run(['shards', 'move-user', 'ann@example.com', 'weur-1'], env)
      const back = await program.run(['shards', 'move-user', ann.id, 'apac-1'], env)
      const acknowledged = await writing.stop()
      const verified = await program.run(['shards', 'verify'], env)

      assert.equal(moved.code, 0, moved.stderr)
      assert.match(back.stdout, /is on apac-1 \(moved\)/, back.stderr)
      assert.ok(acknowledged.length > 0)
      const listed = await feedbackIds(administrator, ann.id)
      assert.deepEqual(listed.toSorted(), acknowledged.toSorted())
      assert.deepEqual([verified.code, verified.stdout], [0, ''], verified.stderr)
      child.kill('SIGTERM')
      assert.equal((await output).code, 0)
      await drop()
    })
  }
})

async function visitors(url: string, program: Installation, env: Readonly<Record<string, string>>) {
  const ann = await Visitor.signedUp(url, 'ann@example.com')
  const { stdout } = await program.run(['admin', 'reset-password'], env)
  const password = /^Password: (.*)$/m.exec(stdout)?.[1] ?? ''
  return { ann, administrator: await Visitor.signedIn(url, 'admin@example.com', password) }
}

async function killAt(step: string, userId: string, env: Readonly<Record<string, string>>): Promise<void> {
  const mover = spawn(process.execPath, [moverScript, userId, 'weur-1', step], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(mover, 'exit')
  const [said] = await Promise.race([once(mover.stdout, 'data'), ended])
  assert.equal(String(said), `${step}\n`)
  mover.kill('SIGKILL')
  await ended
}

/** Submits feedback as fast as it is answered. A write that meets the move is refused, politely. */
function keepWriting(person: Visitor) {
  let isOn = true
  const acknowledged: string[] = []
  const written = (async () => {
    while (isOn) {
      const { status, headers, body } = await person.post('/api/submit_feedback', {
        type: 'idea',
        content: 'Hello',
      })
      if (status === 200) acknowledged.push(body.id)
      else assert.deepEqual([status, headers.get('retry-after')], [503, '2'])
    }
    return acknowledged
  })()
  return {
    stop() {
      isOn = false
      return written
    },
  }
}

async function feedbackIds(administrator: Visitor, userId: string): Promise<readonly string[]> {
  const ids: string[] = []
  for (let page = 1; ; page++) {
    const filter = { user_id: userId, page, page_size: 100 }
    const { body } = await administrator.post('/api/admin/list_feedbacks', filter)
    ids.push(...body.items.map(({ id }: { id: string }) => id))
    if (body.items.length === 0) {
      assert.equal(body.total, ids.length)
      return ids
    }
  }
}
