import { loadClient } from './client.ts'
import type { Command } from './command.ts'

/** Reads through the connection NAME if given, otherwise from the stores of this host. */
export function eventsCommand(allNames: () => readonly string[]): Command {
  return {
    name: 'events',
    summary: 'Print events, one JSON object per line',
    usage: `gatehouse events [NAME] [flags]

Without NAME it reads the stores of this host, as serve does; with NAME it reads from the server of that
connection, which needs the scope admin:events:read. Prints the stored events, oldest first, and ends.

  --name             the same argument as a flag
  -f, --follow       start now and print new events until Ctrl-C
  --after CURSOR     start after this point; 0 is the oldest stored event
  --types TYPE,…     only these types, like user.created

The last line on standard error has the cursor to continue from.`,
    load: async () => async (argv) => {
      const run = namesConnection(argv)
        ? await loadClient('events', allNames)
        : (await import('../events.ts')).runEvents
      return run(argv)
    },
  }
}

const VALUED: ReadonlySet<string | undefined> = new Set(['--after', '--types'])

function namesConnection(argv: readonly string[]): boolean {
  return argv.some((word, i) => /^--name\b/.test(word) || (!word.startsWith('-') && !VALUED.has(argv[i - 1])))
}
