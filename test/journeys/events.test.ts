import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { untilSo } from '../faults/support/replicated.ts'
import { Installation, type Life } from '../processes/installation.ts'
import { grantFor } from '../service/grants.ts'
import type { Person } from '../service/people.ts'

const installation = new Installation()
const env = { GATEHOUSE_CONFIG_DIR: join(installation.dataDir, 'client') }
let life: Life
let administrator: Person

beforeAll(async () => {
  const credentials = await installation.prepare()
  life = await installation.serve()
  administrator = await life.signedIn(credentials)
  await connect('prod', 'admin:events:read')
})

afterAll(() => installation[Symbol.asyncDispose]())

async function connect(name: string, scope: string): Promise<void> {
  const { tokens } = await grantFor(administrator, scope)
  const child = installation.start(['connect', name, life.url, scope, '--token-stdin'], env)
  child.stdin?.end(tokens.access_token)
  assert.deepEqual(await once(child, 'close'), [0, null])
}

async function publish(title: string): Promise<void> {
  await administrator.post('/api/admin/create_notification', { title, content: 'C' })
}

/** Runs on the host, and through the client with a scope. */
const WAYS = [['events'], ['events', 'prod']] as const
const FROM_THE_BEGINNING = ['--follow', '--after', '0', '--types', 'notification.published']

function follow(way: readonly string[]) {
  const child = installation.start([...way, ...FROM_THE_BEGINNING], env)
  const seen = { out: '', err: '' }
  child.stdout?.on('data', (data) => {
    seen.out += data
  })
  child.stderr?.on('data', (data) => {
    seen.err += data
  })
  const titles = () => linesOf(seen.out).map(({ data }) => data.title)
  return {
    child,
    seen,
    /** Resolves once it has ended and its output is read. */
    ended: once(child, 'close'),
    shows: (title: string) => untilSo(`${title} is there`, async () => titles().includes(title)),
  }
}

function linesOf(out: string): readonly { readonly data: { readonly title?: string } }[] {
  return out
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

describe('gatehouse events', () => {
  for (const way of WAYS) {
    const name = way.join(' ')

    it(`${name} --follow prints each event on a line as it happens; Ctrl-C ends it and prints the cursor`, async () => {
      await publish(`Before ${name}`)
      const following = follow(way)
      await following.shows(`Before ${name}`)
      await publish(`While ${name}`)
      await following.shows(`While ${name}`)

      following.child.kill('SIGINT')
      const [code] = await following.ended

      assert.equal(code, 0, following.seen.err)
      const [, cursor = ''] = /[Cc]ontinue with --after (\d+)\n$/.exec(following.seen.err) ?? []
      await publish(`Later ${name}`)
      const types = 'notification.published'
      await untilSo('the rest is there', async () => {
        const rest = await installation.run([...way, '--after', cursor, '--types', types], env)
        assert.equal(rest.code, 0, rest.stderr)
        const titles = linesOf(rest.stdout).map(({ data }) => data.title)
        assert.ok(titles.every((title) => title === `Later ${name}`))
        return titles.length === 1
      })
    })

    it(`${name} --follow ends quietly once nobody reads it`, async () => {
      await publish('Followed')
      const following = follow(way)
      await following.shows('Followed')

      following.child.stdout?.destroy()
      await publish('Into nothing')
      const [code] = await following.ended

      assert.equal(code, 0, following.seen.err)
      assert.doesNotMatch(following.seen.err, /EPIPE|Error/)
    })
  }

  it('needs the scope, and names a type that does not exist', async () => {
    await connect('scopeless', 'account:profile:read')

    const refused = await installation.run(['events', 'scopeless'], env)
    const [here, there] = await Promise.all(
      WAYS.map((way) => installation.run([...way, '--types', 'user.sneezed'], env)),
    )

    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, /403|scope/)
    assert.deepEqual([here?.code, there?.code], [2, 1])
  })
})
