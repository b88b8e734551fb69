import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const LOWEST = 12_000
const FOLDER = join(tmpdir(), 'gatehouse-ports')

/**
 * A port for a program that is started in a moment, given once in a run of tests. It lies below those that the
 * kernel takes for outgoing connections, one of which could otherwise have it before the program does.
 */
export async function freePort(): Promise<number> {
  mkdirSync(FOLDER, { recursive: true })
  const count = firstOutgoing() - LOWEST
  const start = Math.floor(Math.random() * count)
  for (let i = 0; i < count; i++) {
    const port = LOWEST + ((start + i) % count)
    if ((await isFree(port)) && claim(port)) return port
  }
  throw new Error('no port is free')
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const listening = once(server, 'listening').then(
    () => true,
    () => false,
  )
  server.listen(port, '127.0.0.1')
  if (!(await listening)) return false
  server.close()
  await once(server, 'close')
  return true
}

/** The one process that makes the file has the port. */
function claim(port: number): boolean {
  try {
    closeSync(openSync(join(FOLDER, String(port)), 'wx'))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

export function firstOutgoing(): number {
  try {
    const [first = ''] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/)
    return Math.max(LOWEST + 1_000, Math.min(Number(first), 32_768))
  } catch {
    return 32_768
  }
}
