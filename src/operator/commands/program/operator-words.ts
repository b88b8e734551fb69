import { isFullDisk } from '../../../platform/full-disk.ts'
import { fileFaultOf } from '../../../rules/file-fault.ts'

/** Compared by name: in the release, other files have second copies of these classes. */
const PLAIN: ReadonlySet<string> = new Set(['OperatorError', 'Refusal', 'StoreUnavailable'])

/** One clear line for what an operator can fix; a stack for our own defects. */
export function wordsFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const words = wordsForListening(error)
  if (words !== undefined) return words
  if (isFullDisk(error) || isFullDisk(error.cause)) return `${lineOf(error)}; free some space, and run this again`
  const fault = fileFaultOf(error)
  if (fault !== undefined) return fault
  if (!PLAIN.has(error.name)) return error.stack ?? error.message
  return lineOf(error)
}

/** A schema's complaint about a file of the wrong form has many lines. */
function lineOf({ message, cause }: Error): string {
  return cause instanceof Error && !cause.message.includes('\n') ? `${message} (${cause.message})` : message
}

interface ListenError extends Error {
  readonly code?: string
  readonly syscall?: string
  readonly port?: number
  readonly address?: string
  readonly hostname?: string
}

function wordsForListening({ code, syscall, port, address, hostname }: ListenError): string | undefined {
  if (syscall === 'getaddrinfo') return `HOST is ${hostname}, ${NOT_OURS}`
  if (syscall !== 'listen') return undefined
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is in use by another program; stop it, or set another PORT or METRICS_PORT`
    case 'EACCES':
      return `port ${port} can't be opened by this user; set PORT to 1024 or higher`
    case 'EADDRNOTAVAIL':
      return `HOST is ${address}, ${NOT_OURS}`
    case 'EINVAL':
      return `HOST is ${address}; an address that begins with fe80 needs its interface, as in ${address}%eth0`
    default:
      return undefined
  }
}

const NOT_OURS = 'which is not an address of this machine; set one that is, or 0.0.0.0 for all'
