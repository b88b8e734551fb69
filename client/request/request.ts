import type { Command } from '../command.ts'
import { EXIT, type ExitCode } from '../terminal/failure.ts'
import { type Io, print } from '../terminal/io.ts'
import { cleanJson } from '../terminal/text.ts'
import type { Answer } from './answer.ts'
import { type ApiCall, options, parseCall } from './arguments.ts'
import { type Content, readContent } from './body.ts'
import { type Caller, openCaller } from './caller.ts'
import { Jq } from './output/jq.ts'
import { explain, showAnswer, showFiltered } from './output/show.ts'
import { collectPages } from './pages.ts'
import { send } from './send.ts'
import { urlOf } from './url.ts'

/** The requests of one command, and the filter for the response. */
interface Prepared {
  readonly call: ApiCall
  readonly content: Content
  readonly caller: Caller
  readonly jq: Jq | undefined
}

export const request: Command = {
  options,
  async run(args, io) {
    const call = parseCall(args)
    await using jq = call.jq === undefined ? undefined : new Jq(io, call.jq)
    await jq?.check()
    const content = await readContent(io, call)
    const caller = await openCaller(io, call)

    const show = call.paginate ? showAllPages : showOne
    return await show(io, { call, content, caller, jq })
  },
}

async function showOne(io: Io, { call, content, caller, jq }: Prepared): Promise<ExitCode> {
  const { answer } = await send(io, call, caller, {
    url: urlOf(caller.server, call.path, content.query),
    body: content.body,
  })
  if (isRefusal(answer)) return showRefusal(io, call, answer)

  await showAnswer(io, call, answer, jq)
  return EXIT.done
}

async function showAllPages(io: Io, { call, content, caller, jq }: Prepared): Promise<ExitCode> {
  const collected = await collectPages(io, call, caller, content)
  if (!Array.isArray(collected)) return showRefusal(io, call, collected)
  if (call.silent) return EXIT.done

  if (jq) await showFiltered(io, jq, JSON.stringify(collected))
  else print(io, io.isTTY.stdout ? cleanJson(collected) : JSON.stringify(collected))
  return EXIT.done
}

/** A refusal's body is shown as it is: a filter is meant for a successful response. */
async function showRefusal(io: Io, call: ApiCall, answer: Answer): Promise<ExitCode> {
  await showAnswer(io, call, answer)
  explain(io, call, answer)
  return EXIT.refused
}

function isRefusal({ status }: Answer): boolean {
  return status < 200 || status >= 300
}
