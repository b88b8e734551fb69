import { type Config, DEFAULT_SYSTEM_EMAIL } from '../../../config/config.ts'
import type { Platform } from '../../../platform/platform.ts'
import { addressesOutside } from '../../../platform/public-addresses.ts'
import { type Finding, fine, note, wrong } from '../../../rules/finding.ts'
import { countClosedWebhooks, countRefusedAddresses } from '../../delivery/webhooks/webhooks.ts'
import { formerAccounts } from '../../people/account/providers/issuers.ts'
import { hasClosedAuthenticators } from '../../people/second-factor/one-time-codes.ts'
import { findFormerPasskeys } from '../../people/second-factor/passkeys/former.ts'
import { findAdministrator } from '../../people/users/statements.ts'
import { shardsInUse } from '../../tenancy/shards/claim.ts'
import { listedShards } from '../../tenancy/shards/statements.ts'
import { presetOf } from '../provider-presets/presets.ts'
import { readSettings } from '../settings/current-settings.ts'
import { usableProvider } from '../settings/mail-provider.ts'
import type { Settings } from '../settings/model.ts'
import { isUnseen } from '../settings/parts/hook-secret.ts'
import { HOOKS, type HookName } from '../settings/parts/hooks.ts'
import { closedSecrets, openSettingIfOurs } from '../settings/secrets.ts'
import { findFormerAddress } from './address.ts'

/**
 * One line about the stored settings and data, with what to do. A trouble is also shown at the start and in the
 * overview, unless `isAside` leaves it to `doctor`.
 */
interface RecordFinding extends Finding {
  readonly isAside?: boolean
  /** It can be intended: `doctor` shows it, and the log has it at the start, but not as a warning. */
  readonly isHint?: boolean
}

export type Place = Pick<Platform, 'config' | 'meta' | 'now'> & {
  readonly mail: Pick<Platform['mail'], 'providers' | 'smtpUrl'>
  readonly challenge: Pick<Platform['challenge'], 'siteKey'>
  /** Undefined if the secrets cannot be read, which `doctor` also reports. */
  readonly secretBox: Platform['secretBox'] | undefined
}

/** Everything that `doctor` reports about the record, in its order. */
export async function recordFindings(place: Place): Promise<readonly Finding[]> {
  return (await findAll(place)).map(({ about, verdict, words }) => ({ about, verdict, words }))
}

/** The troubles that the log shows at the start, and the console's overview. */
export async function findTroubles(place: Place): Promise<readonly Finding[]> {
  return (await findAll(place)).filter(isTrouble)
}

function isTrouble({ verdict, isAside, isHint }: RecordFinding): boolean {
  return verdict !== 'fine' && !isAside && !isHint
}

async function findAll(place: Place): Promise<readonly RecordFinding[]> {
  const settings = await readSettings(place.meta)
  const found = await Promise.all([
    challengeFindings(place, settings),
    mailFindings(place, settings),
    communityFindings(place, settings),
    networkFindings(place),
    hookFindings(place, settings),
    keyFindings(place, settings),
    issuerFindings(place),
    addressFindings(place),
    administratorFindings(place),
    passkeyFindings(place),
    shardFindings(place),
    productFindings(place, settings),
  ])
  return found.flat()
}

export async function warnOfTroubles(platform: Platform): Promise<void> {
  for (const finding of await findAll(platform)) {
    const { about, words, isHint } = finding
    if (isHint) platform.log.info({ about }, words)
    else if (isTrouble(finding)) platform.log.warn({ about }, words)
  }
}

function challengeFindings({ challenge }: Place, { authentication }: Settings): readonly RecordFinding[] {
  return when(
    authentication.challenge_enabled && challenge.siteKey === undefined,
    'challenge',
    'the challenge is on, but CHALLENGE_SITE_KEY and CHALLENGE_SECRET are not set, so nobody can sign up, sign in with a password or reset one; set both, or run `gatehouse admin switch-off-challenge`',
  )
}

function mailFindings(place: Place, { email, authentication }: Settings): readonly RecordFinding[] {
  const fault = mailFault(place, email)
  if (fault !== undefined) return [wrong('mail', `${fault}; ${NO_MAIL}`)]
  if (email.provider !== null) return [fine('mail', `sent through ${email.provider}`)]
  return [
    ...when(
      authentication.email_verification_required,
      'mail',
      `addresses must be verified, but no email provider is chosen; choose one in the console. ${PASSWORD}`,
    ),
    aside('mail', 'no provider is chosen: nobody can reset a password by mail'),
  ]
}

const PASSWORD = '`gatehouse admin reset-password` lets the administrator in without mail'
const NO_MAIL = `until then no mail is sent. ${PASSWORD}`

function mailFault({ config, mail }: Place, email: Settings['email']): string | undefined {
  const { provider, api_key } = email
  if (provider === 'api' && api_key === '')
    return 'the settings choose the email API, but have no key for it; save one in the console'
  if (provider === 'smtp' && mail.smtpUrl === undefined && isRefused(config, email.smtp_host))
    return `WEBHOOK_NETWORKS does not name the network of ${email.smtp_host}, the mail server of the settings; name it, or choose another server in the console`
  if (provider === null || usableProvider(mail, email) !== undefined) return undefined
  return provider === 'smtp'
    ? 'the settings choose smtp without a server, and SMTP_URL is not set; set it, or name a server or choose another provider in the console'
    : `the settings choose the ${provider}, which is for localhost only, and this is ${config.baseUrl}; choose another provider in the console`
}

function isRefused({ webhookNetworks }: Config, host: string): boolean {
  return addressesOutside(webhookNetworks).isKnownRefused({ hostname: host, protocol: 'https:' })
}

/** A name's address is known only when something is sent there; its webhook reports it then. */
async function networkFindings(place: Place): Promise<readonly RecordFinding[]> {
  const refused = await countRefusedAddresses(place)
  return when(
    refused > 0,
    'webhooks',
    `nothing is sent to ${refused} addresses of webhooks and applications, because WEBHOOK_NETWORKS does not name their networks; name them, or save other addresses in the console`,
  )
}

function hookFindings(place: Place, { hooks }: Settings): readonly RecordFinding[] {
  return HOOKS.flatMap((name) => {
    const { enabled, on_failure } = hooks[name]
    if (!enabled) return []
    const outcome = on_failure === 'refuse' ? 'everyone it would ask about is refused' : 'everyone is let in unasked'
    const fault = hookFault(place, hooks[name].url, hooks[`${name}_secret`])
    if (fault !== undefined) {
      const [reason, wayOut] = fault
      return [wrong('hooks', `${name} asks nobody, because ${reason}, so ${outcome}; ${wayOut}`)]
    }
    return isSecretUnseen(place, name, hooks) ? [note('hooks', `${name} ${UNSEEN_SECRET}`)] : []
  })
}

const UNSEEN_SECRET =
  'signs with a secret that Gatehouse made and nobody has seen, so your back end cannot check it; give the hook a new secret in the console'

/** A secret under another key is found with the other ones. */
function hookFault(
  { config }: Place,
  url: string,
  sealed: string,
): readonly [reason: string, wayOut: string] | undefined {
  if (url === '') return ['it has no address', 'save an address, or switch it off in the console']
  if (addressesOutside(config.webhookNetworks).isKnownRefused(new URL(url)))
    return [
      'WEBHOOK_NETWORKS does not name the network of its address',
      'name it, or save another address in the console',
    ]
  return sealed === '' ? ['it has no secret to sign with', 'give it a new secret in the console'] : undefined
}

function isSecretUnseen({ secretBox }: Place, name: HookName, hooks: Settings['hooks']): boolean {
  const text = secretBox && openSettingIfOurs({ secretBox }, `hooks_${name}_secret`, hooks[`${name}_secret`])
  return text !== undefined && isUnseen(text)
}

function communityFindings({ config }: Place, { authentication }: Settings): readonly RecordFinding[] {
  return when(
    authentication.community.enabled && presetOf(config, 'community') === undefined,
    'community',
    'sign-in with the community is on, but COMMUNITY_AUTH_URL is not set, so its users cannot sign in with it; set it, or switch it off in the console',
  )
}

const FORMER_KEY = 'put the former CONFIG_ENCRYPTION_KEY or secrets.json back'

/** Signing keys are left out, since the start makes new ones. */
async function keyFindings({ secretBox, meta }: Place, settings: Settings): Promise<readonly RecordFinding[]> {
  if (!secretBox) return []
  const [hasAuthenticators, webhooks] = await Promise.all([
    hasClosedAuthenticators({ meta, secretBox }),
    countClosedWebhooks({ meta, secretBox }),
  ])
  return [
    ...closedSecrets({ secretBox }, settings).map((name) =>
      wrong('settings', `${name} was sealed under another key; save it again in the console, or ${FORMER_KEY}`),
    ),
    ...when(
      hasAuthenticators,
      'authenticator apps',
      `some were sealed under another key, so their codes are refused; ${FORMER_KEY}, or run \`gatehouse admin reset-factors [EMAIL]\`, without EMAIL for the administrator`,
    ),
    ...when(
      webhooks > 0,
      'webhooks',
      `the secrets of ${webhooks} were sealed under another key, so nothing is delivered to them; ${FORMER_KEY}, or give each a new secret in the console`,
    ),
  ]
}

/** SYSTEM_EMAIL is read by the first preparation alone; the default says nothing. */
async function administratorFindings({ config, meta }: Place): Promise<readonly RecordFinding[]> {
  const { systemEmail } = config
  const administrator = await findAdministrator(meta)
  if (systemEmail === DEFAULT_SYSTEM_EMAIL || !administrator || administrator.email === systemEmail) return []
  return [
    note(
      'administrator',
      `SYSTEM_EMAIL is ${systemEmail}, but the administrator's address is ${administrator.email}; to change it, run \`gatehouse admin set-address ${systemEmail}\``,
    ),
  ]
}

async function issuerFindings({ config, meta }: Place): Promise<readonly RecordFinding[]> {
  const former = await formerAccounts(config, meta)
  return former.map(({ provider, issuer, accounts }) =>
    note(
      'providers',
      `the issuer behind ${provider} is now ${issuer}; ${accounts} linked accounts belong to another one and cannot sign in with it; put ${DEPLOYMENT_VALUES[provider]} back, or let their owners set a password by mail`,
    ),
  )
}

const DEPLOYMENT_VALUES = {
  provider_a: 'PROVIDER_A',
  provider_b: 'PROVIDER_B',
  community: 'COMMUNITY_AUTH_URL',
} as const

async function addressFindings(place: Place): Promise<readonly RecordFinding[]> {
  const former = await findFormerAddress(place)
  if (former === undefined) return []
  return [
    note(
      'address',
      `it was ${former} and is now ${place.config.baseUrl}; register the new callback addresses at the providers and the new issuer at the applications, or put PUBLIC_URL or APP_DOMAIN back`,
    ),
  ]
}

/** On localhost such a product seems to work, because cookies ignore ports. */
function productFindings({ config }: Place, { brand }: Settings): readonly RecordFinding[] {
  const { hostname } = new URL(config.baseUrl)
  const origins = [...new Set([...config.trustedOrigins, ...brand.return_origins])]
  const elsewhere = origins.filter((origin) => new URL(origin).hostname !== hostname)
  if (elsewhere.length === 0) return []
  const words = `users may return to ${elsewhere.join(' and ')}, where the cookie of ${hostname} is not sent; a product there signs them in by OpenID Connect`
  return [{ ...note('products', words), isHint: true }]
}

async function passkeyFindings({ config, meta }: Place): Promise<readonly RecordFinding[]> {
  const { domain, domains, passkeys } = await findFormerPasskeys(config, meta)
  return when(
    passkeys > 0,
    'passkeys',
    `${passkeys} were made at ${domains.join(' and ')} and do not work at ${domain}; put PUBLIC_URL or APP_DOMAIN back, or run \`gatehouse admin remove-former-passkeys\`, after which their owners sign in with a password, which they can set by mail`,
  )
}

async function shardFindings({ config, meta }: Place): Promise<readonly RecordFinding[]> {
  const [registered, inUse] = await Promise.all([listedShards(meta), shardsInUse(meta)])
  const isConfigured = ({ id }: { readonly id: string }) => config.shards.some((shard) => shard.id === id)
  const absent = registered.filter((shard) => !isConfigured(shard))
  const unused = config.shards.filter(({ id }) => registered.every((shard) => shard.id !== id))
  const takers = registered.filter((shard) => shard.state === 'active' && isConfigured(shard))
  return [
    ...absent.map(({ id }) =>
      inUse.get(id) === 'inhabited'
        ? wrong('shards', missingWords(config, id))
        : aside('shards', `${id} is not in SHARDS, and nobody lives there`),
    ),
    ...unused.map(({ id }) =>
      aside('shards', `${id} is not in use; when every process has it in SHARDS, run \`gatehouse shards add ${id}\``),
    ),
    takers.length > 0
      ? fine('shards', `${takers.length} of ${registered.length} take new users`)
      : wrong('shards', `none is active, so nobody can sign up; run ${activation(config, registered)}`),
  ]
}

function missingWords({ shardsWithout }: Config, id: string): string {
  return shardsWithout.includes(id)
    ? `${id} is left out by SHARDS_WITHOUT, and requests for the data of its users are 503; put it back into SHARDS when it is there again`
    : `users live in ${id}, but it is not in SHARDS, so no process starts; add it, or set SHARDS_WITHOUT=${id} to start without the data of its users`
}

function activation({ shards }: Config, registered: readonly { readonly id: string }[]): string {
  const known = shards.find((shard) => registered.some(({ id }) => id === shard.id))
  return known ? `\`gatehouse shards activate ${known.id}\`` : `\`gatehouse shards add ${shards[0]?.id}\``
}

function aside(about: string, words: string): RecordFinding {
  return { ...note(about, words), isAside: true }
}

function when(isSo: boolean, about: string, words: string): readonly RecordFinding[] {
  return isSo ? [wrong(about, words)] : []
}
