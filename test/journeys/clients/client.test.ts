import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { type Listening, listening } from '../../processes/listening.ts'
import { type Ended, openTerminal, type Terminal } from '../../processes/terminal/terminal.ts'
import { it as ofService } from '../../service/it.ts'
import type { Person } from '../../service/people.ts'

const read = 'operations:notifications:read'
const feedback = 'operations:feedback:write'
const LIST = ['request', 'prod', 'POST', '/api/list_notifications']

/** A service on a port, and a user's machine. */
const it = ofService.extend<{ server: Listening; terminal: Terminal }>({
  server: async ({ service }, use) => {
    await using server = await listening(service)
    await use(server)
  },
  terminal: async ({ service }, use) => {
    await using terminal = await openTerminal(service.clock)
    await use(terminal)
  },
})

describe('the command-line client with the real service', () => {
  it('connects by device code, asks what its scopes allow, and disconnects', async ({ server, terminal, ann }) => {
    const connected = await connectAs(ann, terminal, ['prod', server.url, `${read},${feedback}`])
    const status = await terminal.run(['status', 'prod', '--check', '--json'])
    const fields = ['-f', 'type=idea', '-f', 'content=More tea']
    const submitted = await terminal.run(['request', 'prod', 'POST', '/api/submit_feedback', ...fields])
    const forbidden = await terminal.run(['request', 'prod', 'POST', '/api/read_notification', '-f', 'id=1'])
    const disconnected = await terminal.run(['disconnect', 'prod'])

    assert.equal(connected.code, 0, connected.err)
    assert.match(
      connected.err,
      /as ann@example\.com\nScopes: operations:notifications:read, operations:feedback:write\n/,
    )
    assert.deepEqual([status.code, JSON.parse(status.out).accepted], [0, true])
    assert.equal(submitted.code, 0, submitted.err)
    assert.equal(typeof JSON.parse(submitted.out).id, 'string')
    assert.deepEqual([forbidden.code, JSON.parse(forbidden.out).code], [1, 'INSUFFICIENT_SCOPE'])
    assert.match(forbidden.err, /again with the scope operations:notifications:write and --force/)
    assert.equal(disconnected.code, 0, disconnected.err)
    assert.deepEqual(await grantStates(ann), ['revoked'])
  })

  it('renews its token, also after weeks, and keeps one grant doing so', async ({ service, server, terminal, ann }) => {
    await connectAs(ann, terminal, ['prod', server.url, read])

    for (const wait of [{ minutes: 16 }, { days: 29 }, { days: 29 }]) {
      service.clock.advance(wait)
      const { code, err } = await terminal.run(LIST)
      assert.equal(code, 0, err)
    }
  })

  it('lets the administrator export all feedback as CSV', async ({ server, terminal, administrator, ann, ben }) => {
    await connectAs(administrator, terminal, ['admin', server.url, 'admin:feedback:read'])
    for (const content of Array.from({ length: 101 }, (_, number) => `Line ${number}, "quoted"`)) {
      await ann.post('/api/submit_feedback', { type: 'idea', content })
    }
    await ben.post('/api/submit_feedback', { type: 'problem', content: 'Last' })

    const csv = await terminal.run([
      ...['request', 'admin', 'POST', '/api/admin/list_feedbacks', '--paginate'],
      ...['--jq', '.[] | [.user_id, .type, .status, .content] | @csv'],
    ])

    const lines = csv.out.trimEnd().split('\n').toSorted()
    assert.equal(csv.code, 0, csv.err)
    assert.equal(lines.length, 102)
    assert.ok(lines.includes(`"${ben.id}","problem","new","Last"`))
    assert.ok(lines.includes(`"${ann.id}","idea","new","Line 100, ""quoted"""`))
  })

  it('lets the administrator publish, and a reader walk all pages to one array', async ({
    server,
    terminal,
    administrator,
    ann,
  }) => {
    await connectAs(administrator, terminal, ['admin', server.url, 'admin:notifications:write'])
    await connectAs(ann, terminal, ['ann', server.url, read])
    const fields = ['-f', 'title=News', '-f', 'content=1', '--jq', '.id']
    const create = ['request', 'admin', 'POST', '/api/admin/create_notification', ...fields]
    const published = await terminal.run(create)
    for (const content of Array.from({ length: 104 }, (_, number) => String(number + 2))) {
      await administrator.post('/api/admin/create_notification', { title: 'News', content })
    }

    const list = ['request', 'ann', 'POST', '/api/list_notifications', '--paginate']
    const all = await terminal.run(list)
    const count = await terminal.run([...list, '-q', 'length'])

    const ids = JSON.parse(all.out).map(({ id }: { id: string }) => id)
    assert.equal(new Set(ids).size, 105)
    assert.equal(ids.at(-1), published.out.trim())
    assert.equal(count.out, '105\n')
  })
})

/** The person sees what the terminal says, goes to the page and decides there. */
async function connectAs(person: Person, terminal: Terminal, args: readonly string[], approve = true): Promise<Ended> {
  const page = Promise.withResolvers<URL>()
  const ending = terminal.run(['connect', ...args], {
    onTalk: (said) => {
      const [, address] = /Open (\S+)\n/.exec(said) ?? []
      if (address !== undefined) page.resolve(new URL(address))
    },
  })
  await decideOn(person, await page.promise, approve)
  return ending
}

async function decideOn(person: Person, { host, searchParams }: URL, approve: boolean): Promise<void> {
  const query = Object.fromEntries(searchParams)
  const begun = await person.post('/api/oauth/begin_authorization', query, { host })
  const decision = { request_id: begun.body.request_id, approve }
  const { body } = await person.post('/api/oauth/decide_authorization', decision, { host })
  if (body.redirect_to) await fetch(body.redirect_to)
}

async function grantStates(person: Person): Promise<string[]> {
  const { body } = await person.post('/api/list_grants')
  return body.items.map(({ status }: { status: string }) => status)
}
