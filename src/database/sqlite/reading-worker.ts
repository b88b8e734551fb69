import { parentPort, workerData } from 'node:worker_threads'
import type { CompiledQuery, QueryResult } from 'kysely'
import { openReader } from './handle.ts'

/** Some statements to read together. */
export interface Asked {
  readonly number: number
  readonly queries: readonly Pick<CompiledQuery, 'sql' | 'parameters'>[]
}

/** The result. An error loses its code between threads, so the code is sent beside it. */
export interface Read {
  readonly number: number
  readonly results?: readonly QueryResult<unknown>[]
  readonly refused?: { readonly message: string; readonly errcode: number | undefined }
}

const handle = openReader(workerData)

parentPort?.on('message', (asked: Asked) => parentPort?.postMessage(outcomeOf(asked)))

function outcomeOf({ number, queries }: Asked): Read {
  try {
    handle.exec('begin')
    const results = queries.map((query) => handle.run(query))
    handle.exec('commit')
    return { number, results }
  } catch (error) {
    handle.rollback()
    const { message, errcode } = error as Error & { errcode?: number }
    return { number, refused: { message, errcode } }
  }
}
