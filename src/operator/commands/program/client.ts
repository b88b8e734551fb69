import { clientWords } from '../../../../client/terminal/words.ts'
import type { Command } from './command.ts'

/** The command-line client's part of the program; `allNames` is what completion offers first. */
export function clientCommands(allNames: () => readonly string[]): readonly Command[] {
  return clientWords.map((words) => ({ ...words, load: () => loadClient(words.name, allNames) }))
}

export async function loadClient(name: string, allNames: () => readonly string[]) {
  const { runClient } = await import('../../../../client/main.ts')
  const { openProcessIo } = await import('../../../../client/terminal/process-io.ts')
  const { environment } = await import('../../../config/config.ts')
  return (argv: readonly string[]): Promise<number> =>
    runClient([name, ...argv], openProcessIo(environment()), { commands: allNames(), listScopes })
}

async function listScopes() {
  const { SCOPES } = await import('../../../rules/scopes.ts')
  return Object.entries(SCOPES).map(([scope, description]) => ({ scope, description }))
}
