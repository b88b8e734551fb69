import { pbkdf2Sync } from 'node:crypto'
import { recommendedPasswordIterations } from '../src/prepare.ts'
import { rawRequest } from './load.ts'
import { atLeast, compare, figureOf, type Measure, pick, round } from './measure.ts'
import { Closing, type Folder, insertPeople, preparedFolder, startBare, startOurs, userId } from './ours.ts'

const PASSWORD = 'a long walk in the rain'
const PEOPLE = 500
const JSON_TYPE = { 'content-type': 'application/json' }

export const measure: Measure = {
  title: 'Sign-in against the bare hash function',
  async run(bench) {
    await using folder = await preparedFolder()
    insertPeople(folder, PEOPLE)
    insertPasswords(folder, PEOPLE)
    await using ours = await startOurs(folder)
    await using bare = await startBare('bare-hash')

    const signIns = Array.from({ length: PEOPLE }, (_, i) =>
      rawRequest(
        'POST',
        '/api/auth/sign-in/email',
        JSON_TYPE,
        JSON.stringify({ email: `person-${i}@example.com`, password: PASSWORD }),
      ),
    )
    const longer = { ...bench, seconds: Math.max(bench.seconds, 4) }
    const standings = await compare(longer, [
      { name: 'sign-in', server: ours, load: { connections: 4, requests: signIns } },
      {
        name: 'bare hash',
        server: bare,
        load: { connections: 4, requests: [rawRequest('POST', '/', JSON_TYPE, '{}')] },
      },
    ])
    return {
      ratios: [
        atLeast(
          'sign-in against the bare hash',
          round(pick(standings, 'sign-in').perSecond / pick(standings, 'bare hash').perSecond),
          0.95,
        ),
      ],
      figures: [...standings.values()].map(figureOf),
    }
  },
}

/** One hash for all: what it costs to check does not depend on whose it is. */
function insertPasswords(folder: Folder, count: number): void {
  const salt = Buffer.from('00112233445566ff', 'hex')
  const key = pbkdf2Sync(PASSWORD, salt, recommendedPasswordIterations, 20, 'sha1')
  const stored = `${salt.toString('hex')}:${key.toString('hex')}`
  using meta = new Closing(folder.open('meta'))
  const row = meta.prepare(
    `insert into account (id, user_id, provider, provider_account_id, password_hash, created_at, updated_at)
     values (?, ?, 'credential', ?, ?, 0, 0)`,
  )
  meta.inOneCommit(() => {
    for (let i = 0; i < count; i++) row.run(userId(i), userId(i), userId(i), stored)
  })
}
