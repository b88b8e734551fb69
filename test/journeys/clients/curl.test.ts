import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { routes } from '../../../src/app.ts'
import { findExecutable } from '../../processes/executable.ts'
import { Installation } from '../../processes/installation.ts'
import { listening } from '../../processes/listening.ts'
import { describe, it } from '../../running/node-test.ts'
import { people } from '../../service/people.ts'
import { startService } from '../../service/service.ts'

const run = promisify(execFile)
const bash = findExecutable('bash')
const skip = bash !== undefined && findExecutable('curl') !== undefined ? false : 'needs bash and curl'
const WRONG = [0, 405, 415, 500, 502, 503]

describe('the commands for curl', { skip }, () => {
  it('of docs/integrate.md and docs/events.md work one after the other against a new installation', async () => {
    await using service = new Installation()
    const { stdout } = await service.run(['prepare'])
    const [, ADMIN_EMAIL = '', ADMIN_PASSWORD = ''] = /: (.*)\nPassword: (.*)$/m.exec(stdout) ?? []
    const { url } = await service.serve()
    // In this order, because events.md uses the administrator's token of integrate.md.
    const blocks = [...(await blocksOf('integrate.md')), ...(await blocksOf('events.md'))]

    const said = await run(bash ?? '', ['-euo', 'pipefail', '-c', blocks.join('\n')], {
      env: { PATH: process.env.PATH, GATEHOUSE: url, ADMIN_EMAIL, ADMIN_PASSWORD },
    })

    assert.ok(blocks.length >= 10)
    assert.match(said.stdout, /x-user-id: [\da-f-]{36}/)
    assert.match(said.stdout, /"secret":"whsec_/)
  })

  it('of /api/docs are there for every route, and each reaches its route', async () => {
    await using service = await startService()
    const { administrator } = await people(service)
    await using server = await listening(service)
    const page = await (await fetch(`${server.url}/api/docs`)).text()
    const commands = [...page.matchAll(/<pre class="curl">([\s\S]*?)<\/pre>/g)].map(([, text = '']) =>
      plain(text),
    )

    const script = commands.map((one) =>
      one.replace(/^curl/, "curl -s -o /dev/null -w '%{http_code} %{url}\\n'"),
    )
    const said = await run(bash ?? '', ['-c', script.join('\n')], {
      env: { PATH: process.env.PATH, TOKEN: administrator.token },
    })

    const answered = said.stdout.trim().split('\n')
    assert.equal(answered.length, routes.length)
    assert.deepEqual(
      answered.filter((line) => WRONG.includes(Number(line.slice(0, 3)))),
      [],
    )
  })
})

async function blocksOf(document: string): Promise<readonly string[]> {
  const page = await readFile(new URL(`../../../docs/${document}`, import.meta.url), 'utf8')
  return [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands = '']) => commands)
}

function plain(html: string): string {
  return html
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
