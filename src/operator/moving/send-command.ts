import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import { hasEmbeddedStore, tryToLockDataFolder } from '../../platform/data-folder.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { withPlatform } from '../commands/with-platform.ts'
import { commandSocketOf, type Message } from './command-socket.ts'
import { type CommandOutcome, carryOut, type MoveCommand } from './move-commands.ts'

type Progress = (share: number) => void

/** If a process is serving from embedded stores, it carries out the command; otherwise this process does. */
export async function sendCommand(config: Config, command: MoveCommand, progress: Progress): Promise<CommandOutcome> {
  const byOurselves = () =>
    withPlatform((platform) => carryOut(platform, command, { progress, signal: platform.ending }))
  if (!hasEmbeddedStore(config)) return byOurselves()
  const release = await tryToLockDataFolder(config)
  if (!release) return askServer(config, command, progress)
  try {
    return await byOurselves()
  } finally {
    await release()
  }
}

async function askServer({ dataDir }: Config, command: MoveCommand, progress: Progress): Promise<CommandOutcome> {
  const socket = await connectTo(commandSocketOf(dataDir))
  socket.write(`${JSON.stringify(command)}\n`)
  for await (const line of createInterface({ input: socket })) {
    // Both ends belong to the same release.
    const message = JSON.parse(line) as Message
    if ('share' in message) progress(message.share)
    else if ('outcome' in message) return message.outcome
    else throw new OperatorError(message.refused)
  }
  throw new OperatorError('the service ended before it was done; run the command again')
}

const STARTING_MILLISECONDS = 5_000
const ASK_AGAIN_MILLISECONDS = 50

/** A service that has just taken the folder will listen in a moment. */
async function connectTo(path: string): Promise<Socket> {
  const deadline = performance.now() + STARTING_MILLISECONDS
  for (;;) {
    try {
      return await connected(path)
    } catch (cause) {
      if (performance.now() > deadline)
        throw new OperatorError(`another process uses the data folder and accepts no commands at ${path}`, {
          cause,
        })
    }
    await wait(ASK_AGAIN_MILLISECONDS)
  }
}

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => resolve(socket))
    socket.once('error', reject)
  })
}
