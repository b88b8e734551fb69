import type { CompiledQuery, QueryResult } from 'kysely'
import { type Handle, openReader } from './handle.ts'

/** Some statements to read together. */
export type Queries = readonly Pick<CompiledQuery, 'sql' | 'parameters'>[]

/** The result. An error loses its code between processes, so the code is sent beside it. */
export interface Read {
  readonly results?: readonly QueryResult<unknown>[]
  readonly refused?: { readonly message: string; readonly errcode: number | undefined }
}

const [, , file = ''] = process.argv
let handle: Handle | undefined

// These signals reach all processes of a service or terminal; this one ends with its parent.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit())
process.on('message', (asked: Queries) => process.send?.(outcomeOf(asked)))

function outcomeOf(queries: Queries): Read {
  try {
    handle ??= openReader(file)
    const reader = handle
    reader.exec('begin')
    const results = queries.map((query) => reader.run(query))
    reader.exec('commit')
    return { results }
  } catch (error) {
    handle?.rollback()
    const { message, errcode } = error as Error & { errcode?: number }
    return { refused: { message, errcode } }
  }
}
