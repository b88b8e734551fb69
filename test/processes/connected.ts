import assert from 'node:assert/strict'
import type { PeerServer } from './peer-server.ts'
import { openTerminal, type Terminal } from './terminal/terminal.ts'

export const scope = 'account:profile:read'

export async function connected(peer: PeerServer): Promise<Terminal> {
  const terminal = await openTerminal()
  const { code, err } = await terminal.run(['connect', 'prod', peer.url, scope])
  assert.equal(code, 0, err)
  return terminal
}
