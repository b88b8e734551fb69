import { startProduct } from '../../test/service/product.ts'
import { type Figure, type Measure, median, quantile, type Ratio, round } from '../load/measure.ts'
import { administratorToken, folderOf, insertPasswords, startOurs } from '../ours.ts'
import { call, mustCall, type Server } from '../server.ts'

const SAMPLES = 200
const WRONG = 'a short walk in the sun'
const SOMEBODY = { password: WRONG, name: 'Somebody' }
const HOOK_ANSWERS = ['{"allow":true}', '{"allow":false}']
const ACTIONS = [
  ['sign-in with a wrong password', '/api/auth/sign-in/email', { password: WRONG }],
  ['verification code', '/api/auth/email-otp/send-verification-otp', { type: 'email-verification' }],
  ['password reset', '/api/auth/email-otp/request-password-reset', {}],
  ['sign-up, verification required', '/api/auth/sign-up/email', SOMEBODY],
] as const

/** Response times must not reveal who has an account: the same request for known and unknown addresses, in turn. */
export const measure: Measure = {
  title: 'Known against unknown addresses',
  async run() {
    await using folder = await folderOf((1 + HOOK_ANSWERS.length) * SAMPLES)
    insertPasswords(folder, SAMPLES)
    const token = administratorToken(folder)
    await using receiver = await startProduct()
    await using ours = await startOurs(folder, { WEBHOOK_NETWORKS: '127.0.0.1/32' })
    const save = (part: string, fields: object) =>
      mustCall(ours, `/api/admin/update_${part}_config`, { token, body: { expected_version: 1, ...fields } })
    await save('email', { provider: 'outbox' })
    await save('authentication', { email_verification_required: true })

    const compared: Awaited<ReturnType<typeof compareTimes>>[] = []
    for (const [what, path, rest] of ACTIONS) compared.push(await compareTimes(ours, what, path, rest))
    const hook = { enabled: true, url: receiver.url, on_failure: 'refuse' }
    await save('hooks', { before_sign_up: hook })
    for (const [i, says] of HOOK_ANSWERS.entries()) {
      receiver.behaviour.answer = (_, response) => response.end(says)
      const what = `sign-up, the hook says ${says}`
      compared.push(await compareTimes(ours, what, '/api/auth/sign-up/email', SOMEBODY, (1 + i) * SAMPLES))
    }
    return { ratios: compared.map(({ ratio }) => ratio), figures: compared.flatMap(({ figures }) => figures) }
  },
}

/** Less than 5 % or 2 ms apart. */
async function compareTimes(server: Server, what: string, path: string, rest: object, first = 0) {
  const known: number[] = []
  const unknown: number[] = []
  for (let i = first; i < first + SAMPLES; i++) {
    const ofKnown = await timed(server, path, { email: `person-${i}@example.com`, ...rest })
    const ofUnknown = await timed(server, path, { email: `nobody-${i}@example.com`, ...rest })
    if (ofKnown.shape !== ofUnknown.shape) throw new Error(`${what}: ${ofKnown.shape} against ${ofUnknown.shape}`)
    known.push(ofKnown.milliseconds)
    unknown.push(ofUnknown.milliseconds)
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
  const at = (share: number) => round(quantile(milliseconds, share))
  return { what, 'p10 ms': at(0.1), 'median ms': at(0.5), 'p90 ms': at(0.9) }
}

/** The shape is what the answer says, but for addresses and ids. */
async function timed(server: Server, path: string, body: object) {
  const { status, text, milliseconds } = await call(server, path, { body })
  if (status === 429 || status >= 500) throw new Error(`${path}: ${status}`)
  return {
    milliseconds,
    shape: `${status} ${text.replaceAll(/(?<="affCode":)"\w+"|"[\w-]+@[^"]+"|"[\da-f-]{36}"|"\d{4}-[^"]+"|\d+/g, '…')}`,
  }
}
