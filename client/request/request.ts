import type { Command } from '../command.ts'
import { EXIT, type ExitCode } from '../terminal/failure.ts'
import { type Io, print } from '../terminal/io.ts'
import { cleanJson } from '../terminal/text.ts'
import type { Answer } from './answer.ts'
import { type ApiCall, options, parseCall } from './arguments.ts'
import { type Content, readContent } from './body.ts'
import { type Caller, openCaller } from './caller.ts'
import { checkJq } from './output/jq.ts'
import { explain, showAnswer, showFiltered } from './output/show.ts'
import { collectPages } from './pages.ts'
import { send } from './send.ts'
import { urlOf } from './url.ts'

export const request: Command = {
  options,
  async run(args, io) {
    const call = parseCall(args)
    if (call.jq !== undefined) await checkJq(io, call.jq)
    const content = await readContent(io, call)
    const caller = await openCaller(io, call)

    return call.paginate ? showAllPages(io, call, caller, content) : showOne(io, call, caller, content)
  },
}

async function showOne(io: Io, call: ApiCall, caller: Caller, content: Content): Promise<ExitCode> {
  const { answer } = await send(io, call, caller, {
    url: urlOf(caller.server, call.path, content.query),
    body: content.body,
  })
  if (isRefusal(answer)) return showRefusal(io, call, answer)

  await showAnswer(io, call, answer)
  return EXIT.done
}

async function showAllPages(io: Io, call: ApiCall, caller: Caller, content: Content): Promise<ExitCode> {
  const collected = await collectPages(io, call, caller, content)
  if (!Array.isArray(collected)) return showRefusal(io, call, collected)
  if (call.silent) return EXIT.done

  if (call.jq !== undefined) await showFiltered(io, call.jq, JSON.stringify(collected))
  else print(io, io.isTTY.stdout ? cleanJson(collected) : JSON.stringify(collected))
  return EXIT.done
}

/** A refusal's body is shown as it is: a filter is meant for a successful response. */
async function showRefusal(io: Io, call: ApiCall, answer: Answer): Promise<ExitCode> {
  await showAnswer(io, { ...call, jq: undefined }, answer)
  explain(io, call, answer)
  return EXIT.refused
}

function isRefusal({ status }: Answer): boolean {
  return status < 200 || status >= 300
}
