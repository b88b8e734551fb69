import { hash, randomBytes } from 'node:crypto'

/** A page that is drawn late and gets its responses late exposes tests that read it without waiting. */
const everyMilliseconds = Number(process.env.TEST_DELAY_MILLISECONDS ?? 0)

/** Responses that overtake each other expose tests that expect one order of them. */
const randomMilliseconds = Number(process.env.TEST_RANDOM_DELAY_MILLISECONDS ?? 0)

const seed = process.env.TEST_DELAY_SEED ?? randomBytes(4).toString('hex')
if (randomMilliseconds > 0) process.stderr.write(`TEST_DELAY_SEED=${seed}\n`)

const requests = new Map<string, number>()

/** The same for the nth request to a path in every run with the same seed. */
export function nextDelayMilliseconds(path: string): number {
  const nth = (requests.get(path) ?? 0) + 1
  requests.set(path, nth)
  const chance = Number.parseInt(hash('sha256', `${seed} ${nth} ${path}`).slice(0, 8), 16) / 2 ** 32
  return everyMilliseconds + chance * randomMilliseconds
}
