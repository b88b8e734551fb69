import { z } from 'zod'
import { Answer } from '../../../http/answers/answer.ts'
import { Nothing } from '../../../http/requests/body.ts'
import { type Call, publicRoute } from '../../../http/route.ts'
import { publishedKeys } from './keys.ts'

const KeySet = z.object({
  keys: z.array(z.looseObject({ kid: z.string(), kty: z.string(), alg: z.string() })),
})

/** Keys are published a day before they sign, so a response can be some minutes old. */
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' }

export const signingRoutes = [
  publicRoute({
    method: 'GET',
    path: '/api/auth/jwks',
    summary: 'The public keys for verifying signed tokens',
    input: Nothing,
    output: KeySet,
    handle: keySet,
  }),
  publicRoute({
    method: 'GET',
    path: '/api/oauth/jwks',
    summary: 'The public keys for verifying signed tokens (RFC 7517)',
    input: Nothing,
    output: KeySet,
    handle: keySet,
  }),
] as const

async function keySet({ platform }: Call): Promise<Answer> {
  return new Answer(JSON.stringify(await publishedKeys(platform)), 200, HEADERS)
}
