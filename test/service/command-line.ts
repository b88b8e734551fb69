import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type PeerServer, startPeer } from '../processes/peer-server.ts'
import { type Ended, openTerminal, Terminal } from '../processes/terminal/terminal.ts'
import { SettableClock } from './fakes/settable-clock.ts'

export const SCOPE = 'account:profile:read'

/** A user's machine, where a command can be written as one line. */
export class Machine extends Terminal {
  override run(command: string | readonly string[], situation?: Parameters<Terminal['run']>[1]): Promise<Ended> {
    return super.run(typeof command === 'string' ? command.split(' ') : command, situation)
  }
}

interface Fixtures {
  readonly clock: SettableClock
  readonly peer: PeerServer
  readonly terminal: Machine
  /** The same machine, once "prod" is connected to the peer. */
  readonly connected: Machine
}

/** A test of the command-line client, beside a server that misbehaves when the test says so. */
export const it = test.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures a fixture needs from its parameter.
  clock: async ({}, use) => use(new SettableClock()),
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  peer: async ({}, use) => {
    await using peer = await startPeer()
    await use(peer)
  },
  terminal: async ({ clock }, use) => {
    const { folder } = await openTerminal()
    await using machine = new Machine(folder, clock)
    await use(machine)
  },
  connected: async ({ peer, terminal }, use) => {
    const { code, err } = await terminal.run(`connect prod ${peer.url} ${SCOPE}`)
    assert.equal(code, 0, err)
    await use(terminal)
  },
})

/** Asserts how a command ended, and what it said to the user. */
export function assertEnded({ code, err }: Ended, expected: number, words: RegExp, about?: string): void {
  assert.equal(code, expected, about ?? err)
  assert.match(err, words, about)
}
