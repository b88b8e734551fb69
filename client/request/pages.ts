import { Failure, usage } from '../terminal/failure.ts'
import type { Io } from '../terminal/io.ts'
import { isObject, type JsonObject, parseJson } from '../terminal/json.ts'
import type { Answer } from './answer.ts'
import { type ApiCall, isRead } from './arguments.ts'
import type { Content } from './body.ts'
import type { Caller } from './caller.ts'
import { LONGEST_ANSWER, send } from './send.ts'
import { urlOf } from './url.ts'

const largestPage = 100
/** Many times what any list has; a server could go on for ever. */
const mostPages = 10_000

interface Page {
  readonly items: readonly unknown[]
  readonly total: number
}

/** Every item of a list, or the response that stopped it: half a list never passes for a whole one. */
export async function collectPages(
  io: Io,
  call: ApiCall,
  caller: Caller,
  content: Content,
): Promise<unknown[] | Answer> {
  const items = new Map<string, unknown>()
  let received = 0
  let receivedBytes = 0
  let current = caller
  for (let page = 1; page <= mostPages && receivedBytes <= LONGEST_ANSWER; page++) {
    const sent = await send(io, call, current, pageOf(call, current, content, page))
    if (sent.answer.status !== 200) return sent.answer

    const { items: more, total } = parsePage(sent.answer)
    for (const [place, item] of more.entries()) items.set(keyOf(item, received + place), item)
    received += more.length
    receivedBytes += sent.answer.body.length
    if (more.length === 0 || received >= total) return [...items.values()]
    current = sent.caller
  }
  throw new Failure('refused', 'the list does not end; filter it, or leave --paginate out')
}

/** An item that a new one pushed to the next page appears twice, but counts once. */
function keyOf(item: unknown, place: number): string {
  return isObject(item) && item.id !== undefined ? JSON.stringify(item) : String(place)
}

function pageOf(call: ApiCall, { server }: Caller, content: Content, page: number) {
  if (isRead(call.method)) {
    const query = { page_size: String(largestPage), ...content.query, page: String(page) }
    return { url: urlOf(server, call.path, query), body: undefined }
  }
  const body = JSON.stringify({ page_size: largestPage, ...objectIn(content.body), page })
  return { url: urlOf(server, call.path, content.query), body }
}

function objectIn(body: Content['body']): JsonObject {
  const value = parseJson(typeof body === 'string' ? body : Buffer.from(body ?? '{}').toString())
  if (isObject(value)) return value
  throw usage('--paginate needs an object as body')
}

function parsePage({ body }: Answer): Page {
  const value = parseJson(body.toString())
  if (isObject(value) && Array.isArray(value.items) && isTotal(value.total)) {
    return { items: value.items, total: value.total }
  }
  throw new Failure('refused', 'the response is not a list of items with a total; leave --paginate out')
}

function isTotal(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
