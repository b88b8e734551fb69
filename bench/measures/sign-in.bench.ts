import { recommendedPasswordIterations } from '../../src/prepare.ts'
import { rawRequest } from '../load/load.ts'
import { atLeast, compare, figureOf, type Measure, pick, round } from '../load/measure.ts'
import { folderOf, insertPasswords, signInRequest, startAlone, startOurs } from '../ours.ts'

const PEOPLE = 500

export const measure: Measure = {
  title: 'Sign-in against the bare hash function',
  async run(bench) {
    await using folder = await folderOf(PEOPLE)
    insertPasswords(folder, PEOPLE)
    await using ours = await startOurs(folder)
    await using bare = await startAlone(BARE_HASH)

    const signIns = Array.from({ length: PEOPLE }, (_, i) => signInRequest(i))
    const results = await compare({ ...bench, seconds: Math.max(bench.seconds, 4) }, [
      { name: 'sign-in', server: ours, load: { connections: 4, requests: signIns } },
      { name: 'bare hash', server: bare, load: { connections: 4, requests: [rawRequest('POST', '/')] } },
    ])
    const ratio = pick(results, 'sign-in').perSecond / pick(results, 'bare hash').perSecond
    return {
      ratios: [atLeast('against the bare hash, by the rate', round(ratio), 0.95)],
      figures: [...results.values()].map(figureOf),
    }
  },
}

/** One derivation for each request, one at a time. */
const BARE_HASH = `
  import { pbkdf2Sync, randomBytes } from 'node:crypto'
  import { createServer } from 'node:http'
  createServer(({ method }, response) => {
    if (method === 'POST') pbkdf2Sync('a password', randomBytes(8), ${recommendedPasswordIterations}, 20, 'sha1')
    response.end('{}')
  }).listen(process.env.PORT, '127.0.0.1')`
