type Fields = Readonly<Record<string, unknown>>

/** Structured lines. Secrets, tokens, codes and passwords never go in. */
export interface Log {
  debug(fields: Fields, message: string): void
  info(fields: Fields, message: string): void
  warn(fields: Fields, message: string): void
  error(fields: Fields, message: string): void
}
