import type { Log } from '../src/platform/log.ts'

export interface CapturedLog extends Log {
  readonly lines: readonly string[]
}

/** Keeps what was logged, as text to search in. */
export function captureLog(lines: string[] = [], fixed: object = {}): CapturedLog {
  const keep = (level: string) => (fields: object, message: string) => {
    lines.push(`${level} ${message} ${JSON.stringify({ ...fixed, ...fields }, errorsAsText)}`)
  }
  return {
    lines,
    debug: keep('debug'),
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
    child: (fields) => captureLog(lines, { ...fixed, ...fields }),
  }
}

function errorsAsText(_name: string, value: unknown): unknown {
  return value instanceof Error ? `${value.name}: ${value.message}` : value
}
