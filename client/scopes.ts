import { type Io, print, printJson } from './terminal/io.ts'

export interface ScopeInWords {
  readonly scope: string
  readonly description: string
}

/** A business scope. Other text from a server is dropped: it would end up in commands that people copy. */
export function isScope(text: string): boolean {
  return /^[a-z_-]{1,32}:[a-z_-]{1,32}:(read|write)$/.test(text)
}

export function printScopes(io: Io, scopes: readonly ScopeInWords[], { json }: { readonly json: boolean }): void {
  if (json) {
    printJson(io, scopes)
    return
  }
  const width = Math.max(...scopes.map(({ scope }) => scope.length))
  for (const { scope, description } of scopes) print(io, `${scope.padEnd(width)}  ${description}`)
}
