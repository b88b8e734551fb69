import { rawRequest } from '../load/load.ts'
import { atMost, compare, figureOf, type Measure, pick, round, roundByRound } from '../load/measure.ts'
import { Closing, type Folder, insertPeople, preparedFolder, sessionToken, startOurs, userId } from '../ours.ts'

const PEOPLE = 10_000
/** The goal is narrower than two rounds of the same work are apart. */
const ROUNDS_MORE = 3
const PATH = '/api/auth/get-session'

/** What second factors cost those who are signed in already: the same check, with and without. */
export const measure: Measure = {
  title: `GET ${PATH}, ${PEOPLE} users without a second factor, and with two each where one is required`,
  async run(bench) {
    await using without = await preparedFolder()
    insertPeople(without, PEOPLE)
    insertSetting(without, 'off')
    await using required = await preparedFolder()
    insertPeople(required, PEOPLE)
    insertFactors(required, PEOPLE)
    insertSetting(required, 'required')
    await using first = await startOurs(without)
    await using second = await startOurs(required)
    const results = await compare({ ...bench, rounds: bench.rounds * ROUNDS_MORE }, [
      { name: NONE, server: first, load: checks() },
      { name: BOTH, server: second, load: checks() },
    ])
    const ratio = roundByRound(pick(results, BOTH), pick(results, NONE))
    return {
      ratios: [atMost(`${BOTH}, against ${NONE}, in processor time`, round(ratio), 1.02)],
      figures: [...results.values()].map(figureOf),
    }
  },
}

const NONE = 'switched off'
const BOTH = 'required, an app and a passkey each'

function checks() {
  return {
    connections: 32,
    requests: Array.from({ length: PEOPLE }, (_, i) =>
      rawRequest('GET', PATH, { cookie: `session=${sessionToken(i)}` }),
    ),
  }
}

function insertSetting(folder: Folder, secondFactor: 'off' | 'required'): void {
  using meta = new Closing(folder.open('meta'))
  meta.prepare(`update settings set authentication = json_set(authentication, '$.second_factor', ?)`).run(secondFactor)
}

function insertFactors(folder: Folder, count: number): void {
  using meta = new Closing(folder.open('meta'))
  const now = Date.now()
  const user = meta.prepare(`update user set factors = 'totp passkey' where id = ?`)
  const app = meta.prepare(
    `insert into totp_factor (id, user_id, sealed, last_use, is_confirmed, created_at) values (?, ?, '', '', 1, ?)`,
  )
  const passkey = meta.prepare(
    `insert into passkey
       (id, user_id, credential_id, public_key, device_type, transports, aaguid, name, last_use, created_at)
     values (?, ?, ?, '', 'multiDevice', '', '', '', '', ?)`,
  )
  meta.inOneCommit(() => {
    for (let i = 0; i < count; i++) {
      const id = userId(i)
      user.run(id)
      app.run(id, id, now)
      passkey.run(id, id, id, now)
    }
  })
}
