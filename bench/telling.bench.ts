import type { Settings } from '../src/features/settings/model.ts'
import { type Measure, median, type Ratio, round } from './measure.ts'
import { Closing, type Folder, insertPeople, preparedFolder, startOurs } from './ours.ts'
import { insertPasswords } from './passwords.ts'

const PAIRS_A_ROUND = 40
const WARM_UP_PAIRS = 10
const MOST_MILLISECONDS = 2
const MOST_SHARE = 0.05

const password = 'not anybody’s password'

/** Each is asked about addresses that are known and, in turn, about some that are not. */
const QUESTIONS = {
  'sign-in with a wrong password': (email: string) => ['/api/auth/sign-in/email', { email, password }],
  'request of a reset': (email: string) => ['/api/auth/email-otp/request-password-reset', { email }],
  'request of a code': (email: string) => [
    '/api/auth/email-otp/send-verification-otp',
    { email, type: 'email-verification' },
  ],
  'sign-up where verification is required': (email: string) => [
    '/api/auth/sign-up/email',
    { email, password, name: email },
  ],
} as const satisfies Record<string, (email: string) => readonly [string, object]>

export const measure: Measure = {
  title: 'Does time tell who has an account? Medians, known against unknown',
  async run({ rounds }) {
    await using folder = await preparedFolder()
    const count = WARM_UP_PAIRS + rounds * PAIRS_A_ROUND
    insertPeople(folder, count)
    insertPasswords(folder, count)
    requireVerification(folder)
    await using server = await startOurs(folder)

    const ratios: Ratio[] = []
    const figures = []
    for (const [what, question] of Object.entries(QUESTIONS)) {
      const ask = async (email: string) => timeOf(server.port, ...question(email))
      const times = await inPairs(count, ask)
      const known = median(times.known)
      const unknown = median(times.unknown)
      figures.push({ what, 'known ms': round(known), 'unknown ms': round(unknown) })
      ratios.push(apart(what, known, unknown))
    }
    return { ratios, figures }
  },
}

async function inPairs(count: number, ask: (email: string) => Promise<number>) {
  const known: number[] = []
  const unknown: number[] = []
  for (let i = 0; i < count; i++) {
    // Which comes first changes, so that neither has the other's warmth.
    const first = i % 2 === 0 ? await ask(`person-${i}@example.com`) : undefined
    const nobody = await ask(`nobody-${i}@example.com`)
    const somebody = first ?? (await ask(`person-${i}@example.com`))
    if (i < WARM_UP_PAIRS) continue
    known.push(somebody)
    unknown.push(nobody)
  }
  return { known, unknown }
}

async function timeOf(port: number, path: string, body: object): Promise<number> {
  const started = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await response.arrayBuffer()
  const milliseconds = performance.now() - started
  if (response.status !== 200 && response.status !== 401) throw new Error(`${path}: ${response.status}`)
  return milliseconds
}

function apart(what: string, known: number, unknown: number): Ratio {
  const milliseconds = Math.abs(known - unknown)
  const isMet = milliseconds < MOST_MILLISECONDS || milliseconds / Math.max(known, unknown) < MOST_SHARE
  return { what, value: round(milliseconds), goal: 'less than 2 ms or 5 % apart', isMet }
}

/** So that codes are sent, and a sign-up tells nothing. The mails stay in the folder. */
function requireVerification(folder: Folder): void {
  using meta = new Closing(folder.open('meta'))
  const change = <Part extends 'authentication' | 'email'>(part: Part, fields: Partial<Settings[Part]>) => {
    const row = meta.prepare(`select ${part} as text from settings`).get()
    const changed = JSON.stringify({ ...JSON.parse(String(row?.text)), ...fields })
    meta.prepare(`update settings set ${part} = ?, revision = revision + 1`).run(changed)
  }
  change('authentication', { email_verification_required: true })
  change('email', { provider: 'outbox' })
}
