import { type Io, print, printJson } from './terminal/io.ts'

export interface ScopeInWords {
  readonly scope: string
  readonly description: string
}

export function printScopes(
  io: Io,
  scopes: readonly ScopeInWords[],
  { json }: { readonly json: boolean },
): void {
  if (json) {
    printJson(io, scopes)
    return
  }
  const width = Math.max(...scopes.map(({ scope }) => scope.length))
  for (const { scope, description } of scopes) print(io, `${scope.padEnd(width)}  ${description}`)
}
