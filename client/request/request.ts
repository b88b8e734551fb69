import type { Command } from '../command.ts'
import { EXIT, type ExitCode } from '../terminal/failure.ts'
import { type Io, print } from '../terminal/io.ts'
import { cleanJson } from '../terminal/text.ts'
import type { Answer } from './answer.ts'
import { options, parseWish, type Wish } from './arguments.ts'
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
    const wish = parseWish(args)
    if (wish.jq !== undefined) await checkJq(wish.jq)
    const content = await readContent(io, wish)
    const caller = await openCaller(io, wish)

    return wish.paginate ? showAllPages(io, wish, caller, content) : showOne(io, wish, caller, content)
  },
}

async function showOne(io: Io, wish: Wish, caller: Caller, content: Content): Promise<ExitCode> {
  const { answer } = await send(io, wish, caller, {
    url: urlOf(caller.server, wish.path, content.query),
    body: content.body,
  })
  if (isRefusal(answer)) return showRefusal(io, wish, answer)

  await showAnswer(io, wish, answer)
  return EXIT.done
}

async function showAllPages(io: Io, wish: Wish, caller: Caller, content: Content): Promise<ExitCode> {
  const collected = await collectPages(io, wish, caller, content)
  if (!Array.isArray(collected)) return showRefusal(io, wish, collected)
  if (wish.silent) return EXIT.done

  if (wish.jq !== undefined) await showFiltered(io, wish.jq, JSON.stringify(collected))
  else print(io, io.isTTY.stdout ? cleanJson(collected) : JSON.stringify(collected))
  return EXIT.done
}

/** A refusal's body is shown as it is: a filter is meant for a successful response. */
async function showRefusal(io: Io, wish: Wish, answer: Answer): Promise<ExitCode> {
  await showAnswer(io, { ...wish, jq: undefined }, answer)
  explain(io, wish, answer)
  return EXIT.refused
}

function isRefusal({ status }: Answer): boolean {
  return status < 200 || status >= 300
}
