import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe } from 'vitest'
import { listening } from '../../test/processes/listening.ts'
import { programPath, shellEnvironment } from '../../test/processes/program.ts'
import { openTerminal } from '../../test/processes/terminal/terminal.ts'
import { grantFor } from '../../test/service/grants.ts'
import { it } from '../../test/service/it.ts'
import { startProduct } from '../../test/service/product.ts'
import { temporaryFolder } from '../../test/service/temporary-folder.ts'

const SCOPES = ['admin:notifications:read', 'admin:notifications:write', 'operations:feedback:write']
const READ = 'operations:notifications:read'
const WRITE = 'operations:feedback:write'
const DESCRIPTION = {
  paths: {
    '/api/list_notifications': { post: { summary: 'List', 'x-scope': { [READ]: [] } } },
    '/api/submit_feedback': { post: { summary: 'Submit', 'x-scope': { [WRITE]: [] } } },
  },
}
const PATIENT = { timeout: 120_000 }

describe('gatehouse mcp', () => {
  it('gives an assistant the routes of its scopes, and keeps the bookmark', async ({ service, administrator }) => {
    await using server = await listening(service)
    await using terminal = await openTerminal()
    const { tokens } = await grantFor(administrator, ...SCOPES)
    const connect = ['connect', 'prod', server.url, SCOPES.join(','), '--token-stdin']
    await terminal.run(connect, { stdin: tokens.access_token })
    await using assistant = await assistantOf({ ...shellEnvironment, GATEHOUSE_CONFIG_DIR: terminal.folder })

    const { tools } = await assistant.client.listTools()
    const created = await assistant.call('admin_create_notification', { title: 'Hello', content: 'World' })
    const listed = await assistant.call('admin_list_notifications')
    const refused = await assistant.call('admin_create_notification', { title: '' })
    const foreign = await assistant.call('admin_list_users').catch(String)
    const bookmark = await readFile(join(terminal.folder, 'bookmarks/prod'), 'utf8')

    assert.deepEqual(tools.map(({ name, annotations: a }) => [name, a?.readOnlyHint, a?.destructiveHint]).toSorted(), [
      ['admin_archive_notification', false, true],
      ['admin_create_notification', false, true],
      ['admin_list_notifications', true, false],
      ['admin_restore_notification', false, true],
      ['admin_update_notification', false, true],
      ['submit_feedback', false, true],
    ])
    const schema = tools.find(({ name }) => name === 'submit_feedback')?.inputSchema
    assert.deepEqual([schema?.type, schema?.required], ['object', ['type', 'content']])
    assert.equal(created.isRefused, false, created.text)
    assert.equal(JSON.parse(listed.text).items[0].id, JSON.parse(created.text).id)
    assert.deepEqual([refused.isRefused, /^400 .*INVALID_REQUEST/.test(refused.text)], [true, true])
    assert.match(String(foreign), /Unknown tool: "admin_list_users"/)
    assert.match(bookmark, /./)
  })
})

describe('gatehouse mcp, with a server in trouble', () => {
  it('tells the assistant about each invalid response, and continues', async () => {
    const { promise: isSent, resolve: closed } = Promise.withResolvers<boolean>()
    const invalid: Readonly<Record<string, readonly [(response: ServerResponse) => unknown, RegExp]>> = {
      long: [
        (response) => response.end(JSON.stringify('a'.repeat(300_000))),
        /^200: .*more than the 262144 bytes.*page_size/,
      ],
      '256 MiB': [
        (response) => {
          response.once('close', () => closed(response.writableFinished))
          pipeline(Readable.from(Array(4_096).fill(Buffer.alloc(65_536, 'a'))), response, () => undefined)
        },
        /^200: .*more than the 262144 bytes/,
      ],
      page: [(response) => response.writeHead(502).end('<html>Bad gateway</html>'), /^502 /],
      refused: [(response) => response.writeHead(400).end('{"code":"INVALID_REQUEST"}'), /^400 .*INVALID_REQUEST/],
      revoked: [
        (response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('{}'),
        /does not accept the given token/,
      ],
      cut: [
        (response) => response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
        /no response from http.*may have been carried out/,
      ],
      'gone at once': [(response) => response.destroy(), /no response from http.*may have been carried out/],
      elsewhere: [(response) => response.writeHead(302, { location: 'http://192.0.2.1/' }).end(), /^302 /],
    }
    await using server = await serverThat((body, response) => {
      const [answer] = invalid[JSON.parse(body).what] ?? [(good: ServerResponse) => good.end(body)]
      return answer(response)
    })
    await using assistant = await assistantOf(server.env)

    for (const [what, [, expected]] of Object.entries(invalid)) {
      const { isRefused, text } = await assistant.call('submit_feedback', { what })
      assert.ok(isRefused, what)
      assert.match(text, expected, what)
    }
    assert.equal(await isSent, false, 'it stops reading after as much as an assistant gets')
    const unknown = [await assistant.call('drop_everything').catch(String)]
    unknown.push(await assistant.call('x'.repeat(100_000)).catch(String))
    assert.match(String(unknown[0]), /Unknown tool: "drop_everything"$/)
    assert.ok(String(unknown[1]).length < 200)
    assert.deepEqual(await assistant.call('submit_feedback', { a: 1 }), { isRefused: false, text: '{"a":1}' })
  })

  it('waits no longer than its timeout for a server that hangs, and notices a server that is lost', async () => {
    const server = await serverThat(() => undefined)
    await using assistant = await assistantOf(server.env, '--timeout', '1')

    const hung = await assistant.call('submit_feedback')
    const { tools } = await assistant.client.listTools(undefined, PATIENT)
    await server[Symbol.asyncDispose]()
    const lost = await assistant.call('list_notifications')

    const text = 'no response within 1 s; what was sent may have been carried out'
    assert.deepEqual([hung, tools.length], [{ isRefused: true, text }, 2])
    assert.ok(lost.isRefused)
    // Either the kept connection or a new one reports it, depending on which end is seen first.
    assert.match(lost.text, /no response from http.*(ECONNREFUSED|UND_ERR_SOCKET)/)
  })

  it('gives each of a hundred simultaneous calls its own response, and passes odd arguments on unchanged', async () => {
    await using server = await serverThat((body, response) => response.end(body))
    await using assistant = await assistantOf(server.env)
    const ugly: readonly Record<string, unknown>[] = [
      { '': '', ' ': null, 'a.b[0]': [] },
      { text: 'a\u0000b\u2028\ud83d\ude00\n"\\' },
      { constructor: 1, toString: null },
      { deep: JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) },
      { long: 'ä'.repeat(50_000) },
    ]
    const inputs = [...ugly, ...Array.from({ length: 95 }, (_, number) => ({ number }))]

    const answers = await Promise.all(inputs.map((input) => assistant.call('submit_feedback', input)))

    assert.deepEqual(
      answers.map(({ text }) => JSON.parse(text)),
      inputs,
    )
  })

  it('ends with its standard input, in the middle of a call, and ignores lines that are not requests', async () => {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>()
    await using server = await serverThat(() => asked())
    const { program } = startMcp(server.env)
    const params = {
      ...{ protocolVersion: '2025-06-18', capabilities: {} },
      clientInfo: { name: 'a', version: '1' },
    }
    const requests = [
      { id: 1, method: 'initialize', params },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'submit_feedback' } },
    ].map((request) => JSON.stringify({ jsonrpc: '2.0', ...request }))

    for (const line of ['hello\u0000', '{"jsonrpc":"2.0","id":', '[]', ...requests]) program.stdin.write(`${line}\n`)
    await isAsked
    program.stdin.end()

    assert.deepEqual(await once(program, 'exit'), [0, null])
  })

  it('ends with a plain sentence after a line that is too long', async () => {
    await using server = await serverThat(() => undefined)
    const { program, said } = startMcp(server.env)
    // The program ends before it has read everything.
    program.stdin.on('error', () => undefined)

    program.stdin.write(`"${'a'.repeat(11 * 1024 * 1024)}"\n`)

    assert.deepEqual(await once(program, 'close'), [1, null])
    assert.match(said.err, /\ngatehouse: the assistant sent a line of more than 10 MiB\n$/)
  })

  it('ends on Ctrl-C, also while it starts, with the exit code of the other commands', async () => {
    await using server = await serverThat(() => undefined)
    const { program, said } = startMcp(server.env)
    while (!said.err.includes('for an assistant')) await once(program.stderr, 'data')

    program.kill('SIGINT')

    assert.deepEqual(await once(program, 'close'), [130, null])
    assert.match(said.err, /\ngatehouse: cancelled\n$/)
  })
})

/** A server that describes two routes, lets everybody in, and answers calls as the test says. */
async function serverThat(behave: (body: string, response: ServerResponse) => unknown) {
  const server = await startProduct((request, response, body) => {
    if (request.url === '/api/openapi.json') return response.end(JSON.stringify(DESCRIPTION))
    if (request.url !== '/api/verify') return behave(body, response)
    return response.writeHead(200, { 'x-auth-kind': 'grant', 'x-auth-scopes': `${READ} ${WRITE}` }).end('{}')
  })
  const given = { GATEHOUSE_SERVER: new URL(server.url).origin, GATEHOUSE_TOKEN: 'gha_a' }
  // The SDK starts programs with the home folder of the person who runs the tests.
  const env = { ...shellEnvironment, GATEHOUSE_CONFIG_DIR: temporaryFolder(), ...given }
  return Object.assign(server, { env })
}

/** The SDK's own client, as an assistant has it. */
async function assistantOf(env: Readonly<Record<string, string>>, ...flags: readonly string[]) {
  const client = new Client({ name: 'assistant', version: '1.0.0' })
  const args = ['mcp', 'prod', ...flags]
  await client.connect(new StdioClientTransport({ command: programPath, args, env, stderr: 'pipe' }), PATIENT)
  return {
    client,
    async call(name: string, input: Record<string, unknown> = {}) {
      const { isError, content } = await client.callTool({ name, arguments: input }, undefined, PATIENT)
      assert.ok(Array.isArray(content))
      return { isRefused: isError === true, text: String(content[0].text) }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** The program without an SDK, and what it has written to standard error. */
function startMcp(env: Readonly<Record<string, string>>) {
  const program = spawn(programPath, ['mcp', 'prod'], { env, stdio: ['pipe', 'ignore', 'pipe'] })
  const said = { err: '' }
  program.stderr.on('data', (chunk) => {
    said.err += chunk
  })
  return { program, said }
}
