import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tokenHash } from '../../src/rules/tokens.ts'
import { atLeast, compare, figureOf, type Measure, perCoreSecond, round } from '../load/measure.ts'
import {
  Closing,
  type Folder,
  insertGrants,
  insertPeople,
  preparedFolder,
  refreshToken,
  startOurs,
  userId,
} from '../ours.ts'
import { startServer } from '../server.ts'

const CONNECTIONS = 32
const FORM = 'grant_type=refresh_token&client_id=cli-client&refresh_token={{token}}'
const ANSWER = '"refresh_token":"([^"]+)"'

export const measure: Measure = {
  title: 'Token refresh with rotation, 32 clients',
  async run(bench) {
    await using folder = await preparedFolder()
    insertPeople(folder, CONNECTIONS)
    insertGrants(folder, CONNECTIONS, 'operations:notifications:read')
    insertRefreshTokens(folder, CONNECTIONS)
    await using ours = await startOurs(folder)

    const tokensFile = join(folder.path, 'peer-tokens.json')
    await using peer = await startServer({
      command: process.execPath,
      args: ['bench/peers/oidc-provider.js'],
      env: {
        DATABASE_FILE: join(folder.path, 'oidc-provider.sqlite'),
        TOKENS_FILE: tokensFile,
        TOKENS: String(CONNECTIONS),
      },
      readyPath: '/ready',
    })
    const { tokens: peerTokens } = JSON.parse(readFileSync(tokensFile, 'utf8'))
    const ownTokens = Array.from({ length: CONNECTIONS }, (_, i) => refreshToken(i))

    const chain = (path: string, tokens: readonly string[]) => ({
      connections: CONNECTIONS,
      chain: { path, form: FORM, answer: ANSWER, tokens },
    })
    const results = await compare(bench, [
      { name: 'refresh', server: ours, load: chain('/api/oauth/token', ownTokens) },
      { name: 'oidc-provider', server: peer, load: chain('/token', peerTokens) },
    ])
    // With both, all requests of a turn share a flush, whose cost depends on the disk.
    const ratio = perCoreSecond(results, 'refresh') / perCoreSecond(results, 'oidc-provider')
    return {
      ratios: [atLeast('against oidc-provider, in processor time', round(ratio), 1.5)],
      figures: [...results.values()].map(figureOf),
    }
  },
}

function insertRefreshTokens(folder: Folder, count: number): void {
  using meta = new Closing(folder.open('meta'))
  const row = meta.prepare(
    'insert into refresh_token (token_hash, grant_id, created_at, expires_at) values (?, ?, ?, ?)',
  )
  const now = Date.now()
  meta.inOneCommit(() => {
    for (let i = 0; i < count; i++) row.run(tokenHash(refreshToken(i)), userId(i), now, now + 86_400_000)
  })
}
