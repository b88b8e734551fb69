import { currentRequestId } from '../../../src/database/current-request.ts'
import type { Log } from '../../../src/platform/log/log.ts'

type Level = 'debug' | 'info' | 'warn' | 'error'
type Fields = Readonly<Record<string, unknown>>

interface LoggedLine {
  readonly level: Level
  readonly fields: Fields
  readonly message: string
}

/** Keeps every line, so that a test can check what must or must not be logged. */
export class MemoryLog implements Log {
  readonly lines: LoggedLine[]
  readonly #fields: Fields

  constructor(lines: LoggedLine[] = [], fields: Fields = {}) {
    this.lines = lines
    this.#fields = fields
  }

  debug = (fields: Fields, message: string) => this.#keep('debug', fields, message)
  info = (fields: Fields, message: string) => this.#keep('info', fields, message)
  warn = (fields: Fields, message: string) => this.#keep('warn', fields, message)
  error = (fields: Fields, message: string) => this.#keep('error', fields, message)

  child(fields: Fields): Log {
    return new MemoryLog(this.lines, { ...this.#fields, ...fields })
  }

  #keep(level: Level, fields: Fields, message: string): void {
    const requestId = currentRequestId()
    const named = requestId === undefined ? {} : { requestId }
    this.lines.push({ level, fields: { ...named, ...this.#fields, ...fields }, message })
  }
}
