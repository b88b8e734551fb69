import { chmod, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Platform } from '../../platform/platform.ts'
import { wordsFor } from '../commands/program/operator-words.ts'
import { type CommandOutcome, carryOut, type MoveCommand } from './move-commands.ts'

/** One line of JSON each: the command, then progress and one end in reply. */
export type Message = { readonly share: number } | { readonly outcome: CommandOutcome } | { readonly refused: string }

export function commandSocketOf(dataDir: string): string {
  return join(dataDir, 'orders.sock')
}

// A suspended command reads nothing; its progress is not buffered without limit.
const UNREAD_BYTES = 65_536

/**
 * Users are moved by the process that serves, at the command's request, so that no other process holds the
 * write lock of an embedded store for longer than a statement. Returns a function that stops it.
 */
export async function acceptCommands(platform: Platform): Promise<() => Promise<void>> {
  const path = commandSocketOf(platform.config.dataDir)
  const running = new Set<Promise<void>>()
  const server = createServer((socket) => {
    const serving = answerCommand(platform, socket).finally(() => running.delete(serving))
    running.add(serving)
  })
  try {
    await rm(path, { force: true })
    await listenOn(server, path)
    await chmod(path, 0o600)
  } catch (error) {
    // With a very long folder name, on a file system without sockets, or if the path is a folder, everything but moving
    // users works.
    platform.log.error({ error, path }, 'this service accepts no commands to move users')
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

async function answerCommand(platform: Platform, socket: Socket): Promise<void> {
  const left = new AbortController()
  socket.on('error', () => left.abort())
  socket.on('close', () => left.abort())
  const signal = AbortSignal.any([left.signal, platform.ending])
  const say = (message: Message) => socket.write(`${JSON.stringify(message)}\n`)
  const progress = (share: number) => {
    if (socket.writableLength < UNREAD_BYTES) say({ share })
  }
  try {
    const command = await readCommand(socket, signal)
    if (!command) return
    platform.log.info({ verb: command.verb, shard: command.shardId }, 'an operator asked for a move of users')
    say({ outcome: await carryOut(platform, command, { progress, signal }) })
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
async function readCommand(socket: Socket, signal: AbortSignal): Promise<MoveCommand | undefined> {
  const lines = createInterface({ input: socket, signal })
  for await (const line of lines) {
    // Read on, so that the end of the command is noticed.
    socket.resume()
    return JSON.parse(line) as MoveCommand
  }
  return undefined
}
