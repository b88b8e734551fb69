import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { describe } from 'vitest'
import { freePort } from '../../processes/free-port.ts'
import { register } from '../../service/applications.ts'
import type { Person } from '../../service/people.ts'
import { it } from '../../service/today.ts'
import { canRun, folderOf } from './clients.ts'

const REMOTE = { registry: 'npm' } as const
const program = join(folderOf(REMOTE), 'node_modules/mcp-remote/dist/proxy.js')

const SCOPE = 'operations:feedback:write'

describe('mcp-remote', () => {
  it.skipIf(!canRun(REMOTE))(
    'registers itself if the administrator has switched that on, and calls a tool (needs scripts/clients.mjs)',
    async ({ server: { url }, administrator, ann }) => {
      await administrator.saveSettings('assistants', { registration: true })

      const sent = await callThrough(ann, [`${url}/mcp`])

      assert.match(sent, /"id":/)
      const { body } = await administrator.post('/api/admin/list_applications')
      assert.equal(body.items[0].origin, 'registration')
      assert.match(body.items[0].name, /\(localhost\)$/)
    },
  )

  it.skipIf(!canRun(REMOTE))(
    'connects with the client id of an application while registration is off (needs scripts/clients.mjs)',
    async ({ server: { url }, administrator, ann }) => {
      const redirect_uris = ['http://127.0.0.1/oauth/callback']
      const scopes = [SCOPE, 'offline_access']
      const { client_id } = await register(administrator, { kind: 'native', redirect_uris, scopes })
      const known = ['--host', '127.0.0.1', '--static-oauth-client-info', JSON.stringify({ client_id })]
      const asked = ['--static-oauth-client-metadata', JSON.stringify({ scope: scopes.join(' ') })]

      const sent = await callThrough(ann, [`${url}/mcp`, String(await freePort()), ...known, ...asked])

      assert.match(sent, /"id":/)
    },
  )
})

/** The result an assistant gets for a call of a tool, once its user has consented in the browser. */
async function callThrough(user: Person, args: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-remote-'))
  const env = { PATH: '', HOME: folder, MCP_REMOTE_CONFIG_DIR: folder }
  const child = spawn(process.execPath, [program, ...args], { env, stdio: 'pipe' })
  const ended = once(child, 'exit')
  try {
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const page = pageNamedIn(child.stderr)
    say(child.stdin, { id: 1, method: 'initialize', params: HELLO })
    await consent(user, await page)
    await answers.next()
    say(child.stdin, { method: 'notifications/initialized' })
    const params = { name: 'submit_feedback', arguments: { type: 'idea', content: 'More doors' } }
    say(child.stdin, { id: 2, method: 'tools/call', params })
    const { value } = await answers.next()
    return JSON.parse(String(value)).result.content[0].text
  } finally {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true })
  }
}

/** The consent page, once the program listens at the address that the browser is sent to afterwards. */
async function pageNamedIn(stderr: Readable): Promise<URL> {
  let page: URL | undefined
  let isListening = false
  for await (const line of createInterface({ input: stderr })) {
    page ??= line.includes('/oauth/authorize?') ? new URL(line.trim()) : undefined
    isListening ||= line.includes('OAuth callback server running')
    if (!page || !isListening) continue
    stderr.resume()
    return page
  }
  throw new Error('It ended before its user could consent.')
}

const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'assistant', version: '1.0.0' },
}

function say(stdin: Writable, message: object): void {
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

async function consent(user: Person, page: URL): Promise<void> {
  const begun = await user.post('/api/oauth/begin_authorization', Object.fromEntries(page.searchParams))
  assert.ok(begun.body.request_id, JSON.stringify(begun.body))
  const decision = { request_id: begun.body.request_id, approve: true }
  const { body } = await user.post('/api/oauth/decide_authorization', decision)
  await fetch(body.redirect_to)
}
