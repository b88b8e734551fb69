import { join } from 'node:path'
import { rawRequest } from '../load/load.ts'
import { atLeast, compare, figureOf, type Measure, perCoreSecond, pick, round } from '../load/measure.ts'
import { insertPeople, jsonCall, preparedFolder, sessionToken, startOurs } from '../ours.ts'
import { startServer } from '../server.ts'
import { slowFlush } from '../servers/slow-flush.ts'

const BODY = { type: 'idea', content: 'It would help me to see what came of what I said.' }
const CONNECTIONS = 32
const FLUSH_MILLISECONDS = 5
const SLOW = `a flush of ${FLUSH_MILLISECONDS} ms`

/** On this machine's disk the processor decides, so its time is compared; on a slow one the flushes decide. */
export const measure: Measure = {
  title: `POST /api/submit_feedback, durable (synchronous = FULL), ${CONNECTIONS} connections`,
  async run(bench) {
    await using folder = await preparedFolder()
    insertPeople(folder, 1_000)
    await using onSlow = await preparedFolder()
    insertPeople(onSlow, 1_000)
    const slow = slowFlush(FLUSH_MILLISECONDS, onSlow.path)
    await using ours = await startOurs(folder)
    await using single = await startCommitEach(folder.path)
    await using oursOnSlow = await startOurs(onSlow, slow)
    await using singleOnSlow = await startCommitEach(onSlow.path, slow)
    const submit = {
      connections: CONNECTIONS,
      requests: Array.from({ length: 1_000 }, (_, i) => jsonCall('/api/submit_feedback', sessionToken(i), BODY)),
    }
    const json = { 'content-type': 'application/json' }
    const insert = {
      connections: CONNECTIONS,
      requests: [rawRequest('POST', '/', json, JSON.stringify(BODY))],
    }
    const results = await compare(bench, [
      { name: 'submit_feedback', server: ours, load: submit },
      { name: 'one commit each', server: single, load: insert },
      { name: `submit_feedback, ${SLOW}`, server: oursOnSlow, load: submit },
      { name: `one commit each, ${SLOW}`, server: singleOnSlow, load: insert },
    ])
    const rate = (name: string) => pick(results, `${name}, ${SLOW}`).perSecond
    return {
      ratios: [
        atLeast(
          `against one commit each, ${SLOW}, by the rate`,
          round(rate('submit_feedback') / rate('one commit each')),
          4,
        ),
        atLeast(
          'against one commit each, in processor time',
          round(perCoreSecond(results, 'submit_feedback') / perCoreSecond(results, 'one commit each')),
          1.1,
        ),
      ],
      figures: [...results.values()].map(figureOf),
    }
  },
}

function startCommitEach(folder: string, env: Readonly<Record<string, string>> = {}) {
  return startServer({
    command: process.execPath,
    args: ['bench/servers/commit-each.ts'],
    env: { FILE: join(folder, 'commit-each.sqlite'), ...env },
    readyPath: '/',
  })
}
