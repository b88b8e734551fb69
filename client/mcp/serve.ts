import type { Readable, Writable } from 'node:stream'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js'
import type { Result } from './results.ts'
import { shownTool, type Tool } from './tools.ts'

export interface Serving {
  readonly name: string
  readonly version: string
  readonly instructions: string
  readonly tools: readonly Tool[]
  /** `cancelled`: the client no longer wants the result. */
  readonly call: (tool: Tool, input: Readonly<Record<string, unknown>>, cancelled: AbortSignal) => Promise<Result>
  readonly stdin: Readable
  readonly stdout: Writable
  readonly interrupted: AbortSignal
}

const LONGEST_LINE = 10 * 1024 * 1024
const LONGEST_SHOWN = 128

/** The same words as the service's own `/mcp`. */
function unknownTool(name: string): string {
  return `Unknown tool: ${JSON.stringify(name).slice(0, LONGEST_SHOWN)}`
}

// A separate file in the build: the SDK is as large as the rest of the client, and seldom used.

/** Serves until standard input ends, or until a line in it is too long; rejects if the user interrupts. */
export async function serveTools(serving: Serving): Promise<'ended' | 'line too long'> {
  const { name, version, instructions, stdin, stdout, interrupted } = serving
  interrupted.throwIfAborted()
  const server = new Server({ name, version }, { capabilities: { tools: {} }, instructions })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: serving.tools.map(shownTool),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = serving.tools.find((one) => one.name === params.name)
    if (!tool) throw new McpError(ErrorCode.InvalidParams, unknownTool(params.name))
    const { isRefused, text } = await serving.call(tool, params.arguments ?? {}, signal)
    return { isError: isRefused, content: [{ type: 'text', text }] }
  })
  const ended = new Promise<'ended' | 'line too long'>((resolve) => {
    stdin.once('end', () => resolve('ended'))
    stdin.once('close', () => resolve('ended'))
    interrupted.addEventListener('abort', () => resolve('ended'), { once: true })
    // The transport closes by itself only if its buffer is full.
    server.onclose = () => resolve('line too long')
  })
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: LONGEST_LINE })
  await server.connect(transport)
  const end = await ended
  // Aborts the calls that are under way.
  await server.close()
  interrupted.throwIfAborted()
  return end
}
