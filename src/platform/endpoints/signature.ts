import { createHmac, createSecretKey, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

export const ENDPOINT_SECRET = /^whsec_(?:[A-Za-z0-9+/]{4}){6,16}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

export function newEndpointSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/** The headers of the Standard Webhooks rules, with one signature for each secret; the newest comes first. */
export function signedHeaders(secrets: readonly string[], id: string, time: number, body: string) {
  const timestamp = String(Math.floor(time / 1000))
  const signed = `${id}.${timestamp}.${body}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${signatureOf(secret, signed)}`).join(' '),
  }
}

function signatureOf(secret: string, signed: string): string {
  const key = createSecretKey(secret.slice(PREFIX.length), 'base64')
  return createHmac('sha256', key).update(signed).digest('base64')
}
