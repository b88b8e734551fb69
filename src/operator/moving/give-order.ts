import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import { hasEmbeddedStore, tryToLockDataFolder } from '../../platform/data-folder.ts'
import { OperatorError } from '../../rules/operator-error.ts'
import { withPlatform } from '../commands/with-platform.ts'
import { type Message, orderSocketOf } from './order-socket.ts'
import { carryOut, type Order, type Outcome } from './orders.ts'

type Progress = (share: number) => void

/** If a process is serving from embedded stores, it carries out the order; otherwise this process does. */
export async function giveOrder(config: Config, order: Order, progress: Progress): Promise<Outcome> {
  const byOurselves = () => withPlatform((platform) => carryOut(platform, order, { progress, signal: platform.ending }))
  if (!hasEmbeddedStore(config)) return byOurselves()
  const release = await tryToLockDataFolder(config)
  if (!release) return askServer(config, order, progress)
  try {
    return await byOurselves()
  } finally {
    await release()
  }
}

async function askServer({ dataDir }: Config, order: Order, progress: Progress): Promise<Outcome> {
  const socket = await connectTo(orderSocketOf(dataDir))
  socket.write(`${JSON.stringify(order)}\n`)
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
        throw new OperatorError(`another process uses the data folder and takes no orders at ${path}`, {
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
