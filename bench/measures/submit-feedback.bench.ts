import { join } from 'node:path'
import { rawRequest } from '../load/load.ts'
import { atLeast, compare, figureOf, type Measure, pick, round } from '../load/measure.ts'
import { insertPeople, jsonCall, preparedFolder, sessionToken, startOurs } from '../ours.ts'
import { startServer } from '../server.ts'

const BODY = { type: 'idea', content: 'It would help me to see what came of what I said.' }

export const measure: Measure = {
  title: 'POST /api/submit_feedback, durable (synchronous = FULL), 32 connections',
  async run(bench) {
    await using folder = await preparedFolder()
    insertPeople(folder, 1_000)
    await using ours = await startOurs(folder)
    await using single = await startServer({
      command: process.execPath,
      args: ['bench/servers/commit-each.ts'],
      env: { FILE: join(folder.path, 'commit-each.sqlite') },
      readyPath: '/',
    })
    const submit = Array.from({ length: 1_000 }, (_, i) =>
      jsonCall('/api/submit_feedback', sessionToken(i), BODY),
    )
    const json = { 'content-type': 'application/json' }
    const standings = await compare(bench, [
      { name: 'submit_feedback', server: ours, load: { connections: 32, requests: submit } },
      {
        name: 'one commit each',
        server: single,
        load: { connections: 32, requests: [rawRequest('POST', '/', json, JSON.stringify(BODY))] },
      },
    ])
    const ratio = pick(standings, 'submit_feedback').perSecond / pick(standings, 'one commit each').perSecond
    return {
      ratios: [atLeast('against one commit each', round(ratio), 4)],
      figures: [...standings.values()].map(figureOf),
    }
  },
}
