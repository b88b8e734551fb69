import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe } from 'vitest'
import { listening } from '../../test/processes/listening.ts'
import { programPath, shellEnvironment } from '../../test/processes/program.ts'
import { openTerminal } from '../../test/processes/terminal/terminal.ts'
import { grantFor } from '../../test/service/grants.ts'
import { it } from '../../test/service/it.ts'

const SCOPES = ['admin:notifications:read', 'admin:notifications:write', 'operations:feedback:write']

describe('gatehouse mcp', () => {
  it('gives an assistant the routes of its scopes, marks what changes things, and keeps the bookmark', async ({
    service,
    administrator,
  }) => {
    await using server = await listening(service)
    await using terminal = await openTerminal()
    const { tokens } = await grantFor(administrator, ...SCOPES)
    const connect = ['connect', 'prod', server.url, SCOPES.join(','), '--token-stdin']
    await terminal.run(connect, { stdin: tokens.access_token })
    await using assistant = await assistantOf({ GATEHOUSE_CONFIG_DIR: terminal.folder })

    const { tools } = await assistant.client.listTools()
    const created = await assistant.call('admin_create_notification', { title: 'Hello', content: 'World' })
    const listed = await assistant.call('admin_list_notifications', {})
    const refused = await assistant.call('admin_create_notification', { title: '' })
    const foreign = await assistant.call('admin_list_users', {}).catch((error: unknown) => String(error))
    const bookmark = await readFile(join(terminal.folder, 'bookmarks/prod'), 'utf8')

    assert.deepEqual(
      tools.map(({ name, annotations: a }) => [name, a?.readOnlyHint, a?.destructiveHint]).toSorted(),
      [
        ['admin_archive_notification', false, true],
        ['admin_create_notification', false, true],
        ['admin_list_notifications', true, false],
        ['admin_restore_notification', false, true],
        ['admin_update_notification', false, true],
        ['submit_feedback', false, true],
      ],
    )
    const schema = tools.find(({ name }) => name === 'submit_feedback')?.inputSchema
    assert.deepEqual([schema?.type, schema?.required], ['object', ['type', 'content']])
    assert.equal(created.isRefused, false, created.text)
    assert.equal(JSON.parse(listed.text).items[0].id, JSON.parse(created.text).id)
    assert.deepEqual([refused.isRefused, /^400 .*INVALID_REQUEST/.test(refused.text)], [true, true])
    assert.match(String(foreign), /there is no tool admin_list_users/)
    assert.match(bookmark, /./)
  })

  it('exits with 3 for a name without a connection', async () => {
    await using terminal = await openTerminal()

    const { code, err } = await terminal.run(['mcp', 'prod'])

    assert.equal(code, 3)
    assert.match(err, /prod/)
  })
})

/** The SDK's own client, as an assistant has it. */
async function assistantOf(env: Readonly<Record<string, string>>) {
  const client = new Client({ name: 'assistant', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: programPath,
    args: ['mcp', 'prod'],
    env: { ...shellEnvironment, ...env },
    stderr: 'pipe',
  })
  await client.connect(transport)
  return {
    client,
    async call(name: string, input: Record<string, unknown>) {
      const { isError, content } = await client.callTool({ name, arguments: input })
      assert.ok(Array.isArray(content))
      return { isRefused: isError === true, text: String(content[0].text) }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
