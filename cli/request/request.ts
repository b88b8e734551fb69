import type { Command } from '../command.ts'
import { EXIT, type ExitCode } from '../failure.ts'
import { type Io, print } from '../io.ts'
import { cleanJson } from '../text.ts'
import { options, parseWish, type Wish } from './arguments.ts'
import { type Content, readContent } from './body.ts'
import { type Caller, openCaller } from './caller.ts'
import { checkJq } from './jq.ts'
import { collectPages } from './pages.ts'
import { type Answer, send } from './send.ts'
import { explain, showAnswer, showFiltered } from './show.ts'
import { urlOf } from './url.ts'

const help = `Usage: gatehouse request NAME METHOD PATH [BODY] [flags]

Sends one request to the server of NAME, with its token. PATH is relative, like /api/list_notifications.
BODY is JSON; a POST without any sends {}. The answer goes to standard output, pretty on a terminal.

  --name, --method, --path, --body   the same four by name
  -f, --raw-field KEY=VALUE   a field of the body, as text; KEY may be a[b] or a[]
  -F, --field KEY=VALUE       the same with a type: true, false, null, a number, @file or @- for a file's text
  --input FILE                send a file's content, - for standard input
  -H, --header "NAME: VALUE"  a further header
  -i, --include               print the answer's status and headers too
  --silent                    print no body
  --paginate                  walk a list to its end and print one array
  -q, --jq EXPRESSION         filter the answer with jq
  --verbose                   tell on standard error what is sent and answered, secrets masked
  --token-stdin               use the token on standard input

Environment: GATEHOUSE_TOKEN is used in place of the connection's token, and GATEHOUSE_SERVER
says where where there is no connection NAME.`

export const request: Command = {
  summary: 'send an API request with a connection',
  help,
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

/** A refusal's body is shown as it is: a filter was written for the answer that did not come. */
async function showRefusal(io: Io, wish: Wish, answer: Answer): Promise<ExitCode> {
  await showAnswer(io, { ...wish, jq: undefined }, answer)
  explain(io, wish, answer)
  return EXIT.refused
}

function isRefusal({ status }: Answer): boolean {
  return status < 200 || status >= 300
}
