import { instructionsFor, LONGEST_ANSWER, resultOf } from '../client/mcp/results.ts'
import { queryOf, shownTool, type Tool, toolsIn } from '../client/mcp/tools.ts'
import manifest from '../package.json' with { type: 'json' }
import { answerMcp, type McpTool, type McpWords } from './features/access/mcp/endpoint.ts'
import type { Answering } from './http/answers/answering.ts'
import { describeRoutes } from './http/documentation/openapi.ts'
import { isProtected, MCP_PATH, type ProtectedRoute, type Route } from './http/route.ts'
import type { Router } from './http/router.ts'
import type { Platform } from './platform/platform.ts'

/** The tools of `gatehouse mcp` over HTTP, made from the API's description as the client makes them. */
export function serveMcp(router: Router, routes: readonly Route[], platform: Platform, answering: Answering): void {
  let words: McpWords | undefined
  router.on(
    'ALL',
    MCP_PATH,
    answering(MCP_PATH, (exchange) =>
      answerMcp(platform, exchange, () => {
        words ??= wordsOf(routes, platform.config.baseUrl)
        return words
      }),
    ),
  )
}

function wordsOf(routes: readonly Route[], serverUrl: string): McpWords {
  const about = { title: '', version: '1', serverUrl, sessionCookie: '' }
  const byPath = new Map(routes.filter(isProtected).map((route) => [`${route.method} ${route.path}`, route]))
  const tools = toolsIn(describeRoutes(routes, about), () => true).flatMap((tool) => {
    const route = byPath.get(`${tool.method} ${tool.path}`)
    return route ? [mcpToolOf(tool, route)] : []
  })
  return {
    name: 'gatehouse',
    version: manifest.version,
    instructions: instructionsFor(serverUrl),
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    resultOf,
    longestAnswer: LONGEST_ANSWER,
  }
}

function mcpToolOf(tool: Tool, route: ProtectedRoute): McpTool {
  return {
    name: tool.name,
    route,
    shown: shownTool(tool),
    inputOf: (args) => (route.method === 'GET' ? queryOf(args) : args),
  }
}
