import assert from 'node:assert/strict'
import { describe } from 'vitest'
import type { Stores } from '../../src/database/stores.ts'
import { ENGINES, it } from '../processes/it.ts'
import { startSmtpServer, type TestSmtpServer } from '../processes/smtp-server.ts'
import { untilSo } from './support/replicated.ts'

const USERS = 300
const KILLS = 4
/** The number that is sent at once. */
const IN_FLIGHT = 5

describe('a process that is killed while it sends letters about a notification', () => {
  it.for(ENGINES)('sends none of them twice, and goes on: %s', async (engine, { program, places }) => {
    await using smtp = await startSmtpServer()
    const env = { ...(await places.on(engine)), SMTP_URL: smtp.url }
    await program.prepare(env, { email: { provider: 'smtp', api_key: '' } })
    {
      await using stores = await program.openStores(env)
      await addUsers(stores)
      await announce(stores)
    }

    for (let kill = 1; kill <= KILLS; kill++) {
      const life = await program.serve(env)
      const enough = smtp.messages.length + 20
      while (smtp.messages.length < enough) await smtp.nextMessage()
      await life.end('SIGKILL')
    }
    await program.serve(env)
    await using stores = await program.openStores(env)
    await untilSo('everyone was seen to', async () => (await left(stores)) === 0)

    const addresses = addressesOf(smtp)
    assert.equal(addresses.length, new Set(addresses).size, 'a letter came twice')
    assert.ok(addresses.length >= USERS - KILLS * IN_FLIGHT, `${addresses.length} of ${USERS}`)
  })
})

async function addUsers({ meta }: Stores): Promise<void> {
  const rows = Array.from({ length: USERS }, (_, i) => ({
    id: `user-${String(i).padStart(4, '0')}`,
    name: `User ${i}`,
    email: `user-${i}@example.com`,
    email_verified: 1 as const,
    aff_code: `code-${i}`,
    role: 'user' as const,
    factors: '' as const,
    folded_name: '',
    last_sign_in_at: 0,
    created_at: 1,
    updated_at: 1,
  }))
  await meta.insertInto('user').values(rows).execute()
}

async function announce({ meta }: Stores): Promise<void> {
  const now = Date.now()
  await meta
    .insertInto('notifications')
    .values({
      ...{ id: 'news', type: 'system', title: 'News', content: 'New.', level: 'info', also_email: 1 },
      ...{ target_user_id: null, created_at: now, updated_at: now, archived_at: null },
    })
    .execute()
  await meta.insertInto('announcement').values({ notification_id: 'news', after_user_id: '' }).execute()
}

/** Claims of a killed process stay until they expire, and their letters are not sent. */
async function left({ meta }: Stores): Promise<number> {
  const [announcements, letters] = await Promise.all([
    meta.primary.selectFrom('announcement').select('notification_id').execute(),
    meta.primary.selectFrom('mail_queue').select('id').where('claimed_until', '=', 0).execute(),
  ])
  return announcements.length + letters.length
}

function addressesOf({ messages }: TestSmtpServer): readonly string[] {
  return messages
    .flatMap((message) => /^To: <?([^\s>]+)/im.exec(message)?.[1] ?? [])
    .filter((address) => address.startsWith('user-'))
}
