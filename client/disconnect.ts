import { parseArgs } from 'node:util'
import { type Command, placeArguments } from './command.ts'
import {
  type Connection,
  checkName,
  getConnection,
  listNames,
  removeConnection,
  withConnectionLock,
} from './credentials/credentials.ts'
import { EXIT, Failure, unknownConnection, usage } from './terminal/failure.ts'
import { type Io, printJson, say } from './terminal/io.ts'

const options = {
  name: { type: 'string' },
  'local-only': { type: 'boolean' },
  json: { type: 'boolean' },
} as const

export const disconnect: Command = {
  options,
  async run(args, io) {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const { name } = placeArguments(['name'], values, positionals)
    if (name === undefined) throw usage('disconnect needs NAME')
    checkName(name)
    if (!listNames(io).includes(name)) throw unknownConnection(name)

    const revoked = await withConnectionLock(io, name, () => (values['local-only'] ? forget(io, name) : end(io, name)))

    say(io, revoked ? `Disconnected "${name}" and revoked its grant` : `Removed "${name}" here; nothing was revoked`)
    if (values.json) printJson(io, { name, revoked })
    return EXIT.done
  },
}

async function forget(io: Io, name: string): Promise<boolean> {
  removeConnection(io, name)
  return false
}

async function end(io: Io, name: string): Promise<boolean> {
  const connection = getConnection(io, name)
  const revoked = connection.refresh_token !== null && (await revoke(io, connection, connection.refresh_token))
  removeConnection(io, name)
  return revoked
}

async function revoke(io: Io, { name, server }: Connection, refreshToken: string): Promise<true> {
  const { revokeGrant } = await import('./connect/oauth.ts')
  try {
    await revokeGrant(io, server, refreshToken)
    return true
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new Failure('refused', `${error.message}; "${name}" is kept. --local-only removes it without revoking`)
  }
}
