import { chmod, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Platform } from '../../platform/platform.ts'
import { wordsFor } from '../commands/program/operator-words.ts'
import { carryOut, type Order, type Outcome } from './orders.ts'

/** One line of JSON each: the order, then progress and one end in reply. */
export type Message = { readonly share: number } | { readonly outcome: Outcome } | { readonly refused: string }

export function orderSocketOf(dataDir: string): string {
  return join(dataDir, 'orders.sock')
}

// A suspended command reads nothing; its progress is not buffered without limit.
const UNREAD_BYTES = 65_536

/**
 * Users are moved by the process that serves, at the command's request, so that no other process holds the
 * write lock of an embedded store for longer than a statement. Returns a function that stops it.
 */
export async function takeOrders(platform: Platform): Promise<() => Promise<void>> {
  const path = orderSocketOf(platform.config.dataDir)
  const running = new Set<Promise<void>>()
  const server = createServer((socket) => {
    const serving = answerOrder(platform, socket).finally(() => running.delete(serving))
    running.add(serving)
  })
  try {
    await rm(path, { force: true })
    await listenOn(server, path)
    await chmod(path, 0o600)
  } catch (error) {
    // With a very long folder name, on a file system without sockets, or if the path is a folder, everything but moving
    // users works.
    platform.log.error({ error, path }, 'this service cannot take orders to move users')
  }
  return async () => {
    server.close()
    await Promise.all(running)
  }
}

function listenOn(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
}

async function answerOrder(platform: Platform, socket: Socket): Promise<void> {
  const left = new AbortController()
  socket.on('error', () => left.abort())
  socket.on('close', () => left.abort())
  const signal = AbortSignal.any([left.signal, platform.ending])
  const say = (message: Message) => socket.write(`${JSON.stringify(message)}\n`)
  const progress = (share: number) => {
    if (socket.writableLength < UNREAD_BYTES) say({ share })
  }
  try {
    const order = await readOrder(socket, signal)
    if (!order) return
    platform.log.info({ verb: order.verb, shard: order.shardId }, 'an operator ordered a move of users')
    say({ outcome: await carryOut(platform, order, { progress, signal }) })
  } catch (error) {
    platform.log.warn({ error }, 'users could not be moved')
    say({ refused: signal.aborted ? 'the service is stopping; run the command again' : wordsFor(error) })
  } finally {
    socket.end()
  }
}

/**
 * Undefined if the other end leaves before it has sent anything. Only the owner of the data folder can write
 * here.
 */
async function readOrder(socket: Socket, signal: AbortSignal): Promise<Order | undefined> {
  const lines = createInterface({ input: socket, signal })
  for await (const line of lines) {
    // Read on, so that the end of the command is noticed.
    socket.resume()
    return JSON.parse(line) as Order
  }
  return undefined
}
