import { type Figure, type Measure, median, quantile, type Ratio, round } from '../load/measure.ts'
import { administratorToken, insertPeople, preparedFolder, startOurs } from '../ours.ts'
import { insertPasswords } from '../rows/passwords.ts'
import type { Server } from '../server.ts'

const SAMPLES = 200
const WRONG = 'a short walk in the sun'

/** Response times must not reveal who has an account: the same request for known and unknown addresses, in turn. */
export const measure: Measure = {
  title: 'Known against unknown addresses',
  async run() {
    await using folder = await preparedFolder()
    insertPeople(folder, SAMPLES)
    insertPasswords(folder, SAMPLES)
    const token = administratorToken(folder)
    await using ours = await startOurs(folder)
    await save(ours, token, 'email', { provider: 'outbox' })
    await save(ours, token, 'authentication', { email_verification_required: true })

    const compared: Awaited<ReturnType<typeof compareTimes>>[] = []
    for (const [what, path, rest] of ACTIONS) compared.push(await compareTimes(ours, what, path, rest))
    return { ratios: compared.map(({ ratio }) => ratio), figures: compared.flatMap(({ figures }) => figures) }
  },
}

const ACTIONS = [
  ['sign-in with a wrong password', '/api/auth/sign-in/email', { password: WRONG }],
  ['verification code', '/api/auth/email-otp/send-verification-otp', { type: 'email-verification' }],
  ['password reset', '/api/auth/email-otp/request-password-reset', {}],
  ['sign-up, verification required', '/api/auth/sign-up/email', { password: WRONG, name: 'Somebody' }],
] as const

/** Less than 5 % or 2 ms apart. */
async function compareTimes(server: Server, what: string, path: string, rest: object) {
  const known: number[] = []
  const unknown: number[] = []
  for (let i = 0; i < SAMPLES; i++) {
    known.push(await timed(server, path, { email: `person-${i}@example.com`, ...rest }))
    unknown.push(await timed(server, path, { email: `nobody-${i}@example.com`, ...rest }))
  }
  const difference = Math.abs(median(known) - median(unknown))
  const ratio: Ratio = {
    what: `${what}: ms between the medians`,
    value: round(difference),
    goal: 'at most 2 ms, or 5 %',
    isMet: difference <= 2 || difference <= median(known) * 0.05,
  }
  return { ratio, figures: [figureOf(`${what}, known`, known), figureOf(`${what}, unknown`, unknown)] }
}

function figureOf(what: string, milliseconds: readonly number[]): Figure {
  const [low, middle, high] = [0.1, 0.5, 0.9].map((share) => round(quantile(milliseconds, share)))
  return { what, 'p10 ms': low ?? '', 'median ms': middle ?? '', 'p90 ms': high ?? '' }
}

async function timed({ port }: Server, path: string, body: object): Promise<number> {
  const started = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await response.text()
  const milliseconds = performance.now() - started
  if (response.status === 429 || response.status >= 500) throw new Error(`${path}: ${response.status}`)
  return milliseconds
}

async function save({ port }: Server, token: string, part: string, fields: object): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/admin/update_${part}_config`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ expected_version: 1, ...fields }),
  })
  if (!response.ok) throw new Error(`settings not saved: ${await response.text()}`)
}
