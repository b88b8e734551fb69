import { Answer, json } from '../../../http/answers/answer.ts'
import { isLonger } from '../../../http/answers/long-list.ts'
import { refuse } from '../../../http/answers/refuse.ts'
import type { Exchange } from '../../../http/exchange.ts'
import type { FindCaller } from '../../../http/find-caller.ts'
import { runGuarded } from '../../../http/mount.ts'
import { maximumBodyBytes, readJson, withBody } from '../../../http/requests/body.ts'
import { type Call, MCP_PATH, type ProtectedRoute } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import type { Caller, GrantCaller } from '../../../rules/caller.ts'
import { Id } from '../../../rules/ids.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { holds } from '../../../rules/staff.ts'
import { HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../../rules/time.ts'
import { PREFIX } from '../../../rules/tokens.ts'
import { countCall } from '../../ground/limits/calls.ts'
import { findByAccessToken } from '../../people/callers/find-caller.ts'
import { noteChange } from '../../people/impersonations/listing.ts'
import { bearerTokenOf } from '../../people/sessions/cookie.ts'
import { approvalOf } from '../approvals/collecting.ts'
import { grantRules } from '../approvals/rules.ts'
import { mcpResource } from '../clients/resources.ts'
import {
  checkStateless,
  isObject,
  isStateless,
  messageOf,
  RpcError,
  type RpcRequest,
  SERVER_INFO,
  SUBSCRIPTION_ID,
  VERSIONS,
  versionFor,
} from './protocol.ts'
import { mcpMetadataUrl } from './routes.ts'

export interface McpTool {
  readonly name: string
  readonly route: ProtectedRoute
  /** The form in which the protocol lists it. */
  readonly shown: object
  readonly inputOf: (args: Readonly<Record<string, unknown>>) => unknown
}

/** The tools that the local client offers too, so that an assistant sees the same in both places. */
export interface McpWords {
  readonly name: string
  readonly version: string
  readonly instructions: string
  readonly tools: ReadonlyMap<string, McpTool>
  readonly resultOf: (
    status: number,
    body: string | undefined,
  ) => { readonly isRefused: boolean; readonly text: string }
  readonly longestAnswer: number
}

/**
 * The Model Context Protocol over HTTP, without a session of its own: each message comes with a token. A call of a
 * tool runs through the same checks as a request to its route.
 */
export async function answerMcp(platform: Platform, exchange: Exchange, wordsFor: () => McpWords): Promise<Answer> {
  if (exchange.method !== 'POST') {
    exchange.setHeader('allow', 'POST')
    throw new Refusal('METHOD_NOT_ALLOWED', 'Use POST here.')
  }
  exchange.acceptsGrants = true
  const find = () => authenticate(platform, exchange)
  try {
    const [caller, sent] = await withBody(exchange, find, () => readJson(exchange, maximumBodyBytes))
    const words = wordsFor()
    const message = messageOf(sent)
    if (!message) return new Answer(null, 202, { 'cache-control': 'no-store' })
    const call = { platform, exchange, sender: exchange.sender, caller, words }
    const answer = isStateless(message, (name) => exchange.header(name)) ? answerStateless : answerInSession
    return await answer(call, message)
  } catch (error) {
    if (error instanceof RpcError) return refusedMessage(exchange, error, null, 400)
    throw error
  }
}

/** Answers the revisions that begin with a handshake, after which nothing is remembered here. */
async function answerInSession(call: McpCall, message: RpcRequest): Promise<Answer> {
  const { exchange } = call
  const { id } = message
  try {
    return json({ jsonrpc: '2.0', id, result: await resultInSession(call, message) })
  } catch (error) {
    if (error instanceof RpcError) return refusedMessage(exchange, error, id, 200)
    throw error
  }
}

async function answerStateless(call: McpCall, message: RpcRequest): Promise<Answer> {
  const { exchange, words } = call
  const { id } = message
  try {
    checkStateless(message, (name) => exchange.header(name))
    if (message.method === 'subscriptions/listen') return endedSubscription(call, id)
    const result = await statelessResult(call, message)
    return json({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result, _meta: metaOf(words) } })
  } catch (error) {
    if (error instanceof RpcError) return refusedMessage(exchange, error, id, error.status)
    throw error
  }
}

/** The tools change with the program and with the token, so there is nothing to wait for. */
function endedSubscription({ words }: McpCall, id: RpcRequest['id']): Answer {
  const its = { [SUBSCRIPTION_ID]: id }
  const params = { _meta: its, notifications: {} }
  const messages = [
    { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params },
    { jsonrpc: '2.0', id, result: { resultType: 'complete', _meta: { ...metaOf(words), ...its } } },
  ]
  return new Answer(messages.map((message) => `data: ${JSON.stringify(message)}\n\n`).join(''), 200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
}

const infoOf = ({ name, version }: McpWords) => ({ name, version })
const metaOf = (words: McpWords) => ({ [SERVER_INFO]: infoOf(words) })

/** The response has the protocol's error, and the list of calls has ours. */
function refusedMessage(exchange: Exchange, error: RpcError, id: RpcRequest['id'] | null, status: RpcError['status']) {
  exchange.grantCall?.answered(MCP_PATH, { status: 400, code: 'INVALID_REQUEST' })
  return json(error.bodyFor(id), status)
}

/** Accepts only tokens: with cookies, a page of another site could call this. */
async function findGrantCaller(platform: Platform, exchange: Exchange): Promise<GrantCaller | undefined> {
  const token = bearerTokenOf(exchange) ?? ''
  if (!token.startsWith(PREFIX.access) && !token.startsWith(PREFIX.personal)) return undefined
  const isFor = (resource: string | null) => resource === null || resource === mcpResource(platform.config)
  const caller = await findByAccessToken({ platform, exchange }, token, isFor)
  if (caller) exchange.hasCaller = true
  return caller
}

async function authenticate(platform: Platform, exchange: Exchange): Promise<GrantCaller> {
  const caller = await findGrantCaller(platform, exchange)
  if (caller) return caller
  const isSent = bearerTokenOf(exchange) !== undefined
  challenge(platform, exchange, isSent ? 'error="invalid_token", ' : '')
  throw new Refusal('UNAUTHORIZED', 'Send an access token; the header www-authenticate says where to get one.')
}

/** RFC 9728 section 5.1. */
function challenge({ config }: Platform, exchange: Exchange, parameters: string): void {
  exchange.setHeader('www-authenticate', `Bearer ${parameters}resource_metadata="${mcpMetadataUrl(config)}"`)
}

interface McpCall extends Call {
  readonly caller: GrantCaller
  readonly words: McpWords
}

const CAPABILITIES = { tools: {} }

async function resultInSession(call: McpCall, { method, params }: RpcRequest): Promise<object> {
  const { words } = call
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: versionFor(params.protocolVersion),
        capabilities: CAPABILITIES,
        serverInfo: infoOf(words),
        instructions: words.instructions,
      }
    case 'ping':
      return {}
    case 'tools/list':
      return { tools: toolsOf(call) }
    case 'tools/call':
      return callTool(call, params)
    default:
      throw noSuchMethod()
  }
}

/** The server's description changes only with an upgrade. */
const PUBLIC_FOR_AN_HOUR = { ttlMs: HOUR_MILLISECONDS, cacheScope: 'public' }
/** The tools are those of the token, and its user can change its rules. */
const PRIVATE_FOR_A_MINUTE = { ttlMs: MINUTE_MILLISECONDS, cacheScope: 'private' }

async function statelessResult(call: McpCall, { method, params }: RpcRequest): Promise<object> {
  switch (method) {
    case 'server/discover': {
      const { instructions } = call.words
      return { supportedVersions: VERSIONS, capabilities: CAPABILITIES, instructions, ...PUBLIC_FOR_AN_HOUR }
    }
    case 'tools/list':
      return { tools: toolsOf(call), ...PRIVATE_FOR_A_MINUTE }
    case 'tools/call':
      return callTool(call, params)
    default:
      throw noSuchMethod()
  }
}

function noSuchMethod(): RpcError {
  return new RpcError('method not found', 'This server has tools and nothing else.')
}

function toolsOf({ caller: { credential }, words }: McpCall): readonly object[] {
  return [...words.tools.values()]
    .filter(({ route }) => credential.scopes.includes(route.scope))
    .map(({ shown }) => shown)
    .concat(credential.approval === 'none' ? [] : [GET_APPROVAL])
}

const LONGEST_SHOWN = 128

async function callTool(call: McpCall, params: RpcRequest['params']): Promise<object> {
  const { platform, caller, words } = call
  const { name, arguments: args = {} } = params
  if (name === GET_APPROVAL.name && isObject(args)) return approvalResult(call, args.id)
  const tool = typeof name === 'string' ? words.tools.get(name) : undefined
  if (!tool || !canHaveScope(caller, tool.route))
    throw new RpcError(
      'invalid params',
      `Unknown tool: ${JSON.stringify(name)?.slice(0, LONGEST_SHOWN).toWellFormed()}`,
    )
  const { scope, path } = tool.route
  call.exchange.grantCall?.standsFor(path)
  if (!isObject(args)) throw new RpcError('invalid params', 'The arguments of a tool have names.')
  if (!caller.credential.scopes.includes(scope)) {
    // The protocol's own way: the assistant asks its user for the scope, and calls again.
    challenge(platform, call.exchange, `error="insufficient_scope", scope="${scope}", `)
    throw new Refusal('INSUFFICIENT_SCOPE', `This token lacks the scope ${scope}.`)
  }
  const answer = await answerOf(call, tool, args)
  call.exchange.grantCall?.answered(path, answer)
  const { status, body } = answer
  const isShort = typeof body === 'string' && Buffer.byteLength(body) <= words.longestAnswer
  const result = words.resultOf(status, isShort ? body : undefined)
  return { isError: result.isRefused, content: [{ type: 'text', text: result.text }] }
}

/** With this tool, an assistant fetches the result of a call that waited for its user's approval. */
const GET_APPROVAL = {
  name: 'get_approval',
  description:
    'What became of a call that was answered with APPROVAL_REQUIRED: pending, approved with its result, denied or expired. The result is given once.',
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  annotations: {
    title: 'Result of an approval',
    readOnlyHint: true,
    destructiveHint: false,
    openWorldHint: false,
  },
}

async function approvalResult({ platform, exchange, caller, words }: McpCall, sent: unknown): Promise<object> {
  exchange.grantCall?.standsFor('/api/get_approval')
  const { success, data: id } = Id.safeParse(sent)
  if (!success) throw new RpcError('invalid params', 'The id is that of the approval.')
  const found = await approvalOf(platform, caller.credential, id, words.longestAnswer).then(
    (approval) => json(approval),
    (error: unknown) => refuse(platform, exchange, error),
  )
  exchange.grantCall?.answered(MCP_PATH, found)
  return { isError: found.status !== 200, content: [{ type: 'text', text: String(found.body) }] }
}

/** The result tells an assistant why its call was refused; only a call without a valid token gets no result. */
async function answerOf(call: McpCall, tool: McpTool, args: RpcRequest['params']): Promise<Answer> {
  const { platform, exchange } = call
  const steps = { findCaller: finderOf(call), countCall, noteChange, ...grantRules }
  try {
    const output = await runGuarded(call, tool.route, steps, () => tool.inputOf(args))
    if (output instanceof Answer) return output
    return isLonger(output, call.words.longestAnswer) ? new Answer(null, 200, {}) : json(output)
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) {
      challenge(platform, exchange, 'error="invalid_token", ')
      throw error
    }
    return refuse(platform, exchange, error)
  }
}

/** The caller has just been found; a route that waits for news looks again afterwards. */
function finderOf({ caller }: McpCall): FindCaller {
  let known: GrantCaller | undefined = caller
  return async (platform, exchange) => {
    const found = known ?? (await findGrantCaller(platform, exchange))
    known = undefined
    return found
  }
}

function canHaveScope({ user }: Caller, { scope }: ProtectedRoute): boolean {
  return holds(user, scope)
}
