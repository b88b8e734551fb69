import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { RELEASES } from '../fixtures/lived-in.ts'
import { runChaos } from './chaos.ts'
import { keepIn, printed } from './report.ts'
import { KINDS } from './worlds/world.ts'

const seed = process.env.CHAOS_SEED ?? randomBytes(4).toString('hex')
const MINUTE_MILLISECONDS = 60_000
/** The fewest acts of a run. A busy machine needs longer for them than the minute. */
const LEAST_ACTS = 200

const TITLES: Readonly<Record<string, string>> = Object.fromEntries(
  RELEASES.map((release) => [release, `postgres with a process of ${release} beside`]),
)

describe.concurrent('people, the administrator and a nemesis at once, for a minute', () => {
  for (const kind of KINDS)
    it(`break no promise on ${TITLES[kind] ?? kind}`, async () => {
      process.stdout.write(`npm run chaos -- --seed ${seed} --engine ${kind} --minutes 1\n`)

      const { history, violations, errors } = await runChaos(kind, seed, MINUTE_MILLISECONDS, LEAST_ACTS)

      if (violations.length === 0) return
      const folder = join(process.env.CHAOS_FOLDER ?? tmpdir(), `chaos-${seed}-${kind}`)
      keepIn(folder, history.entries, violations, errors)
      assert.fail(`seed ${seed}; the history is in ${folder}\n\n${printed(violations, history.entries)}`)
    })
})
