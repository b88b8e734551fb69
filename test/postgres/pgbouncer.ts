import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../processes/free-port.ts'
import { lineWith } from '../processes/line-with.ts'
import { temporaryFolder } from './folder.ts'
import { unprivilegedUser } from './user.ts'

export interface PgBouncer {
  /** The same address through the pooler. */
  through(url: string): string
  stop(): Promise<void>
}

/** Runs in transaction mode, with two server connections, so that no two statements can count on the same one. */
export async function startPgBouncer(program: string, serverPort: number): Promise<PgBouncer> {
  await using opening = new AsyncDisposableStack()
  const folder = mkdtempSync(join(temporaryFolder(), 'gatehouse-pgbouncer-'))
  opening.defer(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const users = join(folder, 'users.txt')
  writeFileSync(users, '"postgres" ""\n')
  writeFileSync(file, configuration(port, serverPort, users))
  const child = spawn(program, [file], {
    ...unprivilegedUser(),
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  const endAtOnce = () => child.kill('SIGKILL')
  process.once('exit', endAtOnce)
  opening.defer(async () => {
    process.off('exit', endAtOnce)
    endAtOnce()
    await ended
  })
  await lineWith('process up', child.stderr)
  const opened = opening.move()
  return {
    through(url) {
      const other = new URL(url)
      other.port = String(port)
      return other.href
    },
    stop: () => opened.disposeAsync(),
  }
}

function configuration(port: number, serverPort: number, users: string): string {
  return `
[databases]
* = host=127.0.0.1 port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = 2
`
}
