import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, describe, it } from 'vitest'
import { programPath, shellEnvironment } from '../../test/processes/program.ts'
import { startProduct } from '../../test/service/product.ts'

const READ = 'operations:notifications:read'
const WRITE = 'operations:feedback:write'
const DESCRIPTION = {
  paths: {
    '/api/list_notifications': { post: { summary: 'List', 'x-scope': { [READ]: [] } } },
    '/api/submit_feedback': { post: { summary: 'Submit', 'x-scope': { [WRITE]: [] } } },
  },
}
const PATIENT = { timeout: 120_000 }

/** The SDK starts programs with the home folder of the person who runs the tests. */
const GATEHOUSE_CONFIG_DIR = mkdtempSync(join(tmpdir(), 'gatehouse-client-'))
afterAll(() => rmSync(GATEHOUSE_CONFIG_DIR, { recursive: true }))

type Behave = (path: string, body: string, response: ServerResponse) => void

/** A server that describes two routes, lets everybody in, and answers calls as it is told to. */
async function serverThat(behave: Behave) {
  const server = await startProduct((request, response, body) => {
    if (request.url === '/api/openapi.json') return response.end(JSON.stringify(DESCRIPTION))
    if (request.url !== '/api/verify') return behave(request.url ?? '', body, response)
    return response.writeHead(200, { 'x-auth-kind': 'grant', 'x-auth-scopes': `${READ} ${WRITE}` }).end('{}')
  })
  const given = { GATEHOUSE_SERVER: new URL(server.url).origin, GATEHOUSE_TOKEN: 'gha_a' }
  return Object.assign(server, { env: { ...shellEnvironment, GATEHOUSE_CONFIG_DIR, ...given } })
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

describe('gatehouse mcp, with a server in trouble', () => {
  it('stops reading a response of 256 MiB after as much as an assistant gets', async () => {
    const { promise: isSent, resolve: closed } = Promise.withResolvers<boolean>()
    await using server = await serverThat((_, __, response) => {
      response.once('close', () => closed(response.writableFinished))
      pipeline(Readable.from(Array(4_096).fill('a'.repeat(65_536))), response, () => undefined)
    })
    await using assistant = await assistantOf(server.env)

    const { isRefused, text } = await assistant.call('submit_feedback')

    assert.ok(isRefused)
    assert.match(text, /^200: .*more than the 262144 bytes/)
    assert.equal(await isSent, false)
  })

  it('tells the assistant about each invalid response, and continues', async () => {
    const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
      long: (response) => response.end(JSON.stringify('a'.repeat(300_000))),
      page: (response) => response.writeHead(502).end('<html>Bad gateway</html>'),
      refused: (response) => response.writeHead(400).end('{"code":"INVALID_REQUEST"}'),
      revoked: (response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('{}'),
      cut: (response) =>
        response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
      'gone at once': (response) => response.destroy(),
      elsewhere: (response) => response.writeHead(302, { location: 'http://192.0.2.1/' }).end(),
    }
    await using server = await serverThat((_, body, response) => {
      const { what } = JSON.parse(body)
      return (answers[what] ?? ((good: ServerResponse) => good.end(body)))(response)
    })
    await using assistant = await assistantOf(server.env)
    const words = {
      long: /^200: .*more than the 262144 bytes.*page_size/,
      page: /^502 /,
      refused: /^400 .*INVALID_REQUEST/,
      revoked: /does not accept the given token/,
      cut: /no response from http.*may have been carried out/,
      'gone at once': /no response from http.*may have been carried out/,
      elsewhere: /^302 /,
    }

    for (const [what, expected] of Object.entries(words)) {
      const { isRefused, text } = await assistant.call('submit_feedback', { what })
      assert.ok(isRefused, what)
      assert.match(text, expected, what)
    }
    const unknown = await assistant.call('drop_everything').catch((error: unknown) => String(error))
    assert.match(String(unknown), /there is no tool drop_everything/)
    assert.deepEqual(await assistant.call('submit_feedback', { a: 1 }), { isRefused: false, text: '{"a":1}' })
  })

  it('waits no longer than its timeout for a server that hangs', async () => {
    await using server = await serverThat(() => undefined)
    await using assistant = await assistantOf(server.env, '--timeout', '1')

    const hung = await assistant.call('submit_feedback')

    const text = 'no response within 1 s; what was sent may have been carried out'
    assert.deepEqual(hung, { isRefused: true, text })
    assert.equal((await assistant.client.listTools(undefined, PATIENT)).tools.length, 2)
  })

  it('tells the assistant if the server is lost', async () => {
    const server = await serverThat((_, body, response) => response.end(body))
    await using assistant = await assistantOf(server.env)
    await server[Symbol.asyncDispose]()

    const { isRefused, text } = await assistant.call('list_notifications')

    assert.ok(isRefused)
    assert.match(text, /no response from http.*ECONNREFUSED/)
  })

  it('gives each of a hundred simultaneous calls its own response, and passes odd arguments on unchanged', async () => {
    await using server = await serverThat((_, body, response) => response.end(body))
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

    for (const [i, { text }] of answers.entries()) assert.deepEqual(JSON.parse(text), inputs[i])
  })

  it('ends with its standard input, in the middle of a call, and ignores lines that are not requests', async () => {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>()
    await using server = await serverThat(() => asked())
    const program = spawn(programPath, ['mcp', 'prod'], {
      env: server.env,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const ended = once(program, 'exit')
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    }
    const lines = [
      'hello\u0000',
      '{"jsonrpc":"2.0","id":',
      '[]',
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
      JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'submit_feedback' } }),
    ]

    for (const line of lines) program.stdin.write(`${line}\n`)
    await isAsked
    program.stdin.end()
    const [code] = await ended

    assert.equal(code, 0)
  })

  it('ends with a plain sentence after a line that is too long', async () => {
    await using server = await serverThat(() => undefined)
    const { program, said } = startMcp(server.env)
    // The program ends before it has read everything.
    program.stdin.on('error', () => undefined)

    program.stdin.write(`"${'a'.repeat(11 * 1024 * 1024)}"\n`)
    const [code] = await once(program, 'close')

    assert.equal(code, 1)
    assert.match(said.err, /\ngatehouse: the assistant sent a line of more than 10 MiB\n$/)
  })

  it('ends on Ctrl-C, also while it starts, with the exit code of the other commands', async () => {
    await using server = await serverThat(() => undefined)
    const { program, said } = startMcp(server.env)

    while (!said.err.includes('for an assistant')) await once(program.stderr, 'data')
    program.kill('SIGINT')
    const [code] = await once(program, 'close')

    assert.equal(code, 130)
    assert.match(said.err, /\ngatehouse: cancelled\n$/)
  })
})
