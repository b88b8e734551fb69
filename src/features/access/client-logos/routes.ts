import { z } from 'zod'
import { Answer } from '../../../http/answers/answer.ts'
import { publicRoute } from '../../../http/route.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { findClient } from '../clients/clients.ts'
import { logoAt } from './logos.ts'

/** An image that is opened on its own is a document, so it must not run or fetch anything. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

export const clientLogoRoutes = [
  publicRoute({
    method: 'GET',
    path: '/api/oauth/client_logo',
    summary: "An application's logo, as an image; this service fetches it, and no browser does",
    input: z.object({ client_id: z.string().max(2048) }),
    output: z.string(),
    described: { mediaType: 'image/*' },
    handle: async ({ platform }, { client_id }) => {
      const client = await findClient(platform, client_id)
      const picture = client?.logoUrl ? await logoAt(platform, client.logoUrl) : undefined
      if (!picture) throw new Refusal('NOT_FOUND', 'There is no logo.')
      return new Answer(new Uint8Array(picture.bytes), 200, {
        'content-type': picture.type,
        'content-security-policy': POLICY,
        'cache-control': 'private, max-age=300',
      })
    },
  }),
] as const
