import { parseArgs } from 'node:util'
import { type Command, placeArguments } from './command.ts'
import { type Connection, getConnection, listNames } from './credentials/credentials.ts'
import { freshConnection, reconnectFirst } from './credentials/token.ts'
import { describe, nameUser } from './describe.ts'
import { EXIT, type ExitCode, Failure } from './terminal/failure.ts'
import { type Io, print, printJson, say } from './terminal/io.ts'
import { cleanLine } from './terminal/text.ts'
import { findOwner } from './who.ts'

const options = {
  name: { type: 'string' },
  check: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

export const status: Command = {
  options,
  async run(args, io) {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const { name } = placeArguments(['name'], values, positionals)
    const reports = name === undefined ? listAll(io) : [{ name, connection: getConnection(io, name) }]
    const checked = values.check ? await Promise.all(reports.map((report) => check(io, report))) : reports

    if (values.json) printJson(io, name === undefined ? checked.map(toJson) : checked.map(toJson)[0])
    else if (checked.length > 0) print(io, checked.map((report) => toText(io, report)).join('\n\n'))
    for (const { failure } of checked) if (failure) say(io, `gatehouse: ${failure.message}`)
    return worst(checked)
  },
}

interface Report {
  readonly name: string
  readonly connection?: Connection
  readonly checked?: boolean
  readonly failure?: Failure
}

/** One unreadable file must not hide the other connections. */
function listAll(io: Io): Report[] {
  const names = listNames(io)
  if (names.length === 0) say(io, 'No connections yet. `gatehouse connect NAME SERVER SCOPES` adds one.')
  return names.map((name) => {
    try {
      return { name, connection: getConnection(io, name) }
    } catch (error) {
      return { name, failure: failureIn(error) }
    }
  })
}

async function check(io: Io, report: Report): Promise<Report> {
  if (!report.connection) return report
  try {
    const fresh = await freshConnection(io, report.name)
    const user = await findOwner(io, fresh.server, fresh.access_token)
    if (!user) throw reconnectFirst(fresh, `${fresh.server} no longer accepts it`)
    return { ...report, connection: { ...fresh, user }, checked: true }
  } catch (error) {
    return { ...report, failure: failureIn(error) }
  }
}

function failureIn(error: unknown): Failure {
  if (error instanceof Failure) return error
  throw error
}

function worst(reports: readonly Report[]): ExitCode {
  const codes = reports.flatMap(({ failure }) => failure?.exitCode ?? [])
  if (codes.includes(EXIT.authorizationNeeded)) return EXIT.authorizationNeeded
  return codes[0] ?? EXIT.done
}

/** `accepted` is null if the server could not be reached. */
function toJson({ name, connection, checked, failure }: Report) {
  const isRefused = failure?.exitCode === EXIT.authorizationNeeded
  return {
    name,
    ...(connection && describe(connection)),
    ...(checked && { accepted: true }),
    ...(failure && { accepted: isRefused ? false : null, reason: failure.message }),
  }
}

function toText(io: Io, { name, connection, checked, failure }: Report): string {
  if (!connection) return `${name}\n  Broken   its file cannot be read`
  const lines = [
    connection.name,
    `  Server   ${connection.server}`,
    `  User     ${cleanLine(nameUser(connection.user))}`,
    `  Scopes   ${connection.scopes.map(cleanLine).join(', ') || 'unknown'}`,
    `  Expires  ${expiryOf(io, connection)}`,
  ]
  if (checked) lines.push('  Checked  the server accepts it')
  if (failure) lines.push(`  Checked  ${failure.message}`)
  return lines.join('\n')
}

function expiryOf(io: Io, { access_expires_at, refresh_token }: Connection): string {
  if (access_expires_at === null) return 'unknown'
  const at = new Date(access_expires_at).toISOString()
  if (refresh_token !== null) return `${at}, then renews by itself`
  return access_expires_at > io.now() ? at : `${at}, expired`
}
