import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe } from 'vitest'
import { routes } from '../../../src/app.ts'
import { findExecutable } from '../../processes/executable.ts'
import { it } from '../../processes/it.ts'
import { listening } from '../../processes/listening.ts'
import { it as ofService } from '../../service/it.ts'
import { unescaped } from '../../service/unescaped.ts'

const run = promisify(execFile)
const bash = findExecutable('bash')
const canRun = bash !== undefined && findExecutable('curl') !== undefined
const WRONG = [0, 405, 415, 500, 502, 503]

describe.skipIf(!canRun)('the commands for curl (need bash and curl)', () => {
  it('of docs/sign-in.md, docs/api.md and docs/events.md work one after the other against a new installation', async ({
    program,
  }) => {
    const { email: ADMIN_EMAIL, password: ADMIN_PASSWORD } = await program.prepare()
    const { url } = await program.serve()
    // In this order, because the later ones use the tokens of sign-in.md.
    const documents = ['sign-in.md', 'api.md', 'events.md']
    const blocks = (await Promise.all(documents.map(blocksOf))).flat()

    const said = await run(bash ?? '', ['-euo', 'pipefail', '-c', blocks.join('\n')], {
      env: { PATH: process.env.PATH, GATEHOUSE: url, ADMIN_EMAIL, ADMIN_PASSWORD },
    })

    assert.ok(blocks.length >= 10)
    assert.match(said.stdout, /x-user-id: [\da-f-]{36}/)
    assert.match(said.stdout, /"secret":"whsec_/)
  })

  ofService(
    'of /api/docs are there for every route, and each reaches its route',
    async ({ service, administrator }) => {
      await using server = await listening(service)
      const page = await (await fetch(`${server.url}/api/docs`)).text()
      const commands = [...page.matchAll(/<pre class="curl">([\s\S]*?)<\/pre>/g)].map(([, text = '']) =>
        unescaped(text),
      )

      const script = commands.map((one) => one.replace(/^curl/, "curl -s -o /dev/null -w '%{http_code} %{url}\\n'"))
      const said = await run(bash ?? '', ['-c', script.join('\n')], {
        env: { PATH: process.env.PATH, TOKEN: administrator.token },
      })

      const answered = said.stdout.trim().split('\n')
      assert.equal(answered.length, routes.length)
      assert.deepEqual(
        answered.filter((line) => WRONG.includes(Number(line.slice(0, 3)))),
        [],
      )
    },
  )
})

async function blocksOf(document: string): Promise<readonly string[]> {
  const page = await readFile(new URL(`../../../docs/${document}`, import.meta.url), 'utf8')
  return [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands = '']) => commands)
}
