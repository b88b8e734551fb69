import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** Made once for many deliveries, because making it takes six times as long as signing. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'))
}

/** The keys of an endpoint; the former one also signs, until its time. */
export interface SigningKeys {
  readonly newest: KeyObject
  readonly former: { readonly key: KeyObject; readonly until: number } | undefined
}

/** The newest first. */
function validAt({ newest, former }: SigningKeys, time: number): readonly KeyObject[] {
  return former && time < former.until ? [newest, former.key] : [newest]
}

/** The headers of the Standard Webhooks rules, with one signature for each key that is valid at that time. */
export function signedHeaders(keys: SigningKeys, id: string, time: number, body: string) {
  const timestamp = String(Math.floor(time / 1000))
  const signed = `${id}.${timestamp}.${body}`
  const signatures = validAt(keys, time).map(
    (key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
