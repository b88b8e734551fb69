import type { MetaTables } from '../../src/database/schema/tables.ts'
import { type Engine, Store } from '../../src/database/store.ts'
import { callerBySession } from '../../src/features/people/callers/store.ts'

/** The SQL of a session check, as the program sends it to this engine. */
export async function statementOfTheCheck(engine: Engine): Promise<string> {
  const sent: string[] = []
  const run = engine.run.bind(engine)
  engine.run = (query, reads) => {
    sent.push(query.sql)
    return run(query, reads)
  }
  const meta = new Store<MetaTables>(engine)
  await callerBySession(meta, '')
  await meta.close()
  return sent.join()
}
