import { z } from 'zod'
import type { Names } from '../../../platform/names/names.ts'
import type { Platform } from '../../../platform/platform.ts'
import { storable } from '../../../platform/storable.ts'
import { usableProvider } from '../../ground/settings/mail-provider.ts'
import type { Settings } from '../../ground/settings/model.ts'
import { getSupportEmail } from './sender.ts'

/** The DNS records that a receiver checks to decide whether a letter really comes from its domain. */
const MailRecord = z.object({
  kind: z.enum(['spf', 'dkim', 'dmarc']),
  /** `unknown` if the look-up failed, or if the name of the record is not known. */
  state: z.enum(['found', 'missing', 'faulty', 'unknown']),
  name: z.string(),
  /** The published record. */
  value: z.string().nullable(),
  /** The record to publish; null if only the provider knows it. */
  suggestion: z.string().nullable(),
})
type MailRecord = z.output<typeof MailRecord>

export const CheckMailDomain = z.object({
  /** The name under which the provider publishes its key, if it is not one of the usual ones. */
  dkim_selector: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$/)
    .optional(),
})

export const MailDomain = z.object({ domain: z.string(), records: z.array(MailRecord) })

const LONGEST_VALUE = 500
const USUAL_SELECTORS = ['default', 'mail', 'dkim', 's1', 'k1', 'selector1', 'google', 'pm'] as const

interface Service {
  readonly isAt: RegExp
  /** The host that its SPF record includes, and the name below which that record is looked up. */
  readonly spf?: { readonly include: string; readonly below?: string }
  readonly selector?: string
}

const SERVICES: readonly Service[] = [
  { isAt: /(^|\.)resend\.com$/, spf: { include: 'amazonses.com', below: 'send' }, selector: 'resend' },
  { isAt: /\.amazonaws\.com$/, spf: { include: 'amazonses.com' } },
  { isAt: /(^|\.)postmarkapp\.com$/, spf: { include: 'spf.mtasv.net' } },
]

/** Looked up on request, at the domain of the address that all mail comes from. */
export async function checkMailDomain(
  platform: Platform,
  settings: Settings,
  selector: string | undefined,
  leaving: AbortSignal,
): Promise<z.output<typeof MailDomain>> {
  const address = await getSupportEmail(platform)
  const domain = address.slice(address.lastIndexOf('@') + 1)
  const service = SERVICES.find(({ isAt }) => isAt.test(sendingHost(platform, settings)))
  const read: Read = (name) => platform.names.texts(name, { signal: leaving })
  const records = [spf(read, domain, service), dkim(read, domain, service, selector), dmarc(read, domain)]
  return { domain, records: await Promise.all(records) }
}

/** '' if nothing is sent over the network. */
function sendingHost({ config, mail }: Platform, { email }: Settings): string {
  switch (usableProvider(mail, email)) {
    case 'api':
      return new URL(config.emailApiUrl).hostname
    case 'smtp':
      return mail.smtpUrl === undefined ? email.smtp_host : new URL(mail.smtpUrl).hostname
    default:
      return ''
  }
}

type Read = (name: string) => ReturnType<Names['texts']>

async function spf(read: Read, domain: string, service: Service | undefined): Promise<MailRecord> {
  const { include, below } = service?.spf ?? {}
  const name = below === undefined ? domain : `${below}.${domain}`
  const suggestion = include === undefined ? null : `v=spf1 include:${include} ~all`
  const found = await published(read, name, (text) => /^v=spf1( |$)/i.test(text))
  const isSound = found?.length === 1 && !/(^| )\+?all$/i.test(found[0] ?? '')
  const names = include === undefined || found?.some((text) => text.toLowerCase().includes(`include:${include}`))
  return { kind: 'spf', name, suggestion, ...stateOf(found, isSound && names === true) }
}

/** Keys are published under names that cannot be listed, so they are tried. */
async function dkim(
  read: Read,
  domain: string,
  service: Service | undefined,
  selector: string | undefined,
): Promise<MailRecord> {
  const known = selector ?? service?.selector
  const names = (known === undefined ? USUAL_SELECTORS : [known]).map((one) => `${one}._domainkey.${domain}`)
  const { name, found } = await firstPublished(read, names, (text) => /\bp=/i.test(text))
  // A key without content was withdrawn.
  const state = stateOf(found, found?.some((text) => /\bp=\s*[\w+/]/i.test(text)) === true)
  const isUntold = known === undefined && state.state === 'missing'
  return {
    kind: 'dkim',
    name: isUntold ? `<selector>._domainkey.${domain}` : name,
    suggestion: null,
    ...state,
    ...(isUntold && { state: 'unknown' }),
  }
}

const MOST_LABELS = 4

/** A domain without a policy has that of the nearest one above it. */
async function dmarc(read: Read, domain: string): Promise<MailRecord> {
  const labels = domain.split('.')
  const above = labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
  const names = [domain, ...above.slice(1).slice(-MOST_LABELS)].map((one) => `_dmarc.${one}`)
  const { name, found } = await firstPublished(read, names, (text) => /^v=DMARC1\b/i.test(text))
  const isSound = found?.length === 1 && /;\s*p=\s*(none|quarantine|reject)\b/i.test(found[0] ?? '')
  return { kind: 'dmarc', name, suggestion: 'v=DMARC1; p=none', ...stateOf(found, isSound) }
}

function stateOf(found: readonly string[] | undefined, isSound: boolean): Pick<MailRecord, 'state' | 'value'> {
  if (!found) return { state: 'unknown', value: null }
  if (found.length === 0) return { state: 'missing', value: null }
  return { state: isSound ? 'found' : 'faulty', value: storable(found.join('\n'), LONGEST_VALUE) }
}

/** Uses the first of these names with a matching record, otherwise the first name. */
async function firstPublished(read: Read, names: readonly string[], isMeant: (text: string) => boolean) {
  const tried = await Promise.all(names.map(async (name) => ({ name, found: await published(read, name, isMeant) })))
  const [first = { name: '', found: undefined }] = tried
  return tried.find(({ found }) => found && found.length > 0) ?? first
}

/** Undefined if it cannot be found out now. */
async function published(
  read: Read,
  name: string,
  isMeant: (text: string) => boolean,
): Promise<readonly string[] | undefined> {
  try {
    return (await read(name)).filter(isMeant)
  } catch {
    return undefined
  }
}
