import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { untilSo } from '../faults/support/replicated.ts'
import { Installation } from '../processes/installation.ts'
import { runProgram, startProgram } from '../processes/program.ts'
import { makePasswordsCheap } from '../service/fakes/cheap-passwords.ts'
import { grantFor } from '../service/grants.ts'
import { Person } from '../service/people.ts'

const SCOPE = 'admin:events:read'
const installation = new Installation()
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-client-'))
const env = { DATA_DIR: installation.dataDir, GATEHOUSE_CONFIG_DIR: folder }
let url: string
let administrator: Person

beforeAll(async () => {
  await makePasswordsCheap({ DATA_DIR: installation.dataDir })
  const { stdout } = await installation.run(['prepare'])
  const [, email = '', password = ''] = /^Administrator: (.*)\nPassword: (.*)$/m.exec(stdout) ?? []
  ;({ url } = await installation.serve())
  const request = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init)
  administrator = new Person({ request }, email, password)
  await administrator.signIn()
  await connect('prod', SCOPE)
})

afterAll(async () => {
  await installation[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

async function connect(name: string, scope: string): Promise<void> {
  const { tokens } = await grantFor(administrator, scope)
  const child = installation.start(['connect', name, url, scope, '--token-stdin'], env)
  child.stdin?.end(tokens.access_token)
  const [code] = await once(child, 'close')
  assert.equal(code, 0)
}

async function publish(title: string): Promise<void> {
  await administrator.post('/api/admin/create_notification', { title, content: 'C' })
}

/** On the host, and through the client with a scope. */
const WAYS = [['events'], ['events', 'prod']] as const
const FROM_THE_BEGINNING = ['--follow', '--after', '0', '--types', 'notification.published']

function follow(way: readonly string[]) {
  const child = startProgram([...way, ...FROM_THE_BEGINNING], env)
  const seen = { out: '', err: '' }
  child.stdout?.on('data', (data) => {
    seen.out += data
  })
  child.stderr?.on('data', (data) => {
    seen.err += data
  })
  return {
    child,
    seen,
    ended: ended(child),
    titles: () => linesOf(seen.out).map(({ data }) => data.title),
  }
}

/** Once it has ended and all that it said is read. */
async function ended(child: ChildProcess): Promise<readonly unknown[]> {
  return once(child, 'close')
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
      await untilSo('what happened before is there', async () =>
        following.titles().includes(`Before ${name}`),
      )
      await publish(`While ${name}`)
      await untilSo('what happens is there', async () => following.titles().includes(`While ${name}`))

      following.child.kill('SIGINT')
      const [code] = await following.ended

      assert.equal(code, 0, following.seen.err)
      const [, cursor = ''] = /[Cc]ontinue with --after (\d+)\n$/.exec(following.seen.err) ?? []
      await publish(`Later ${name}`)
      const types = 'notification.published'
      await untilSo('the rest is there', async () => {
        const rest = await runProgram([...way, '--after', cursor, '--types', types], env)
        assert.equal(rest.code, 0, rest.err)
        const titles = linesOf(rest.out).map(({ data }) => data.title)
        assert.ok(titles.every((title) => title === `Later ${name}`))
        return titles.length === 1
      })
    })

    it(`${name} --follow ends quietly once nobody reads it`, async () => {
      const following = follow(way)
      await untilSo('it follows', async () => following.titles().length > 0)

      following.child.stdout?.destroy()
      await publish('Into nothing')
      const [code] = await following.ended

      assert.equal(code, 0, following.seen.err)
      assert.doesNotMatch(following.seen.err, /EPIPE|Error/)
    })
  }

  it('needs the scope, and names a type that does not exist', async () => {
    await connect('scopeless', 'account:profile:read')

    const refused = await runProgram(['events', 'scopeless'], env)
    const [here, there] = await Promise.all(
      WAYS.map((way) => runProgram([...way, '--types', 'user.sneezed'], env)),
    )

    assert.deepEqual([refused.code, refused.out], [1, ''])
    assert.match(refused.err, /403|scope/)
    assert.deepEqual([here?.code, there?.code], [2, 1])
  })
})
