import { isScope } from '../../scopes.ts'
import { type Io, print, say } from '../../terminal/io.ts'
import { isObject, parseJson } from '../../terminal/json.ts'
import { cleanJson, cleanLine } from '../../terminal/text.ts'
import type { Answer } from '../answer.ts'
import type { ApiCall } from '../arguments.ts'
import type { Jq } from './jq.ts'

export async function showAnswer(io: Io, call: ApiCall, answer: Answer, jq?: Jq): Promise<void> {
  if (call.include) showHead(io, answer)
  if (call.silent) return
  if (jq) await showFiltered(io, jq, answer.body.toString())
  else showBody(io, answer.body)
}

/** Pretty for a person, byte for byte for a program. */
function showBody(io: Io, body: Buffer): void {
  if (body.length === 0) return
  if (!io.isTTY.stdout) {
    io.stdout.write(body)
    return
  }
  const value = parseJson(body.toString())
  print(io, value === undefined ? body.toString() : cleanJson(value))
}

export async function showFiltered(io: Io, jq: Jq, json: string): Promise<void> {
  const output = await jq.run(json)
  if (output !== '') print(io, output)
}

function showHead(io: Io, { status, reason, headers }: Answer): void {
  print(io, `HTTP/1.1 ${status} ${cleanLine(reason)}`.trimEnd())
  for (const [name, value] of headers) print(io, `${name}: ${cleanLine(value)}`)
  print(io, '')
}

/** Explains a refusal beside its body: the code, the message and, for a missing scope, how to get it. */
export function explain(io: Io, call: ApiCall, answer: Answer): void {
  const body = parseJson(answer.body.toString())
  const { code, message } = isObject(body) ? body : {}
  const words = [answer.status, code, message].filter((word) => word !== undefined).join(' ')
  say(io, `gatehouse: ${call.method} ${call.path} returned ${cleanLine(words)}`)

  const scope = /error="insufficient_scope".*scope="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '')?.[1]
  if (scope !== undefined && isScope(scope)) {
    say(io, `gatehouse: connect "${call.name}" again with the scope ${scope} and --force`)
  }
}
