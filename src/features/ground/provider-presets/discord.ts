import { z } from 'zod'
import type { PlainPreset } from './preset.ts'

const User = z.object({
  id: z.string().regex(/^\d{1,20}$/),
  username: z.string(),
  global_name: z.string().nullish(),
  email: z.string().nullish(),
  verified: z.boolean().optional(),
  avatar: z
    .string()
    .regex(/^\w{1,64}$/)
    .nullish(),
})

export function discord(server: string): PlainPreset {
  return {
    kind: 'plain',
    name: 'Discord',
    pictures: ['https://cdn.discordapp.com'],
    scope: 'identify email',
    server: {
      issuer: server,
      authorization_endpoint: `${server}/oauth2/authorize`,
      token_endpoint: `${server}/api/oauth2/token`,
    },
    async profile(ask) {
      const { id, username, global_name, email, verified, avatar } = User.parse(await ask(`${server}/api/users/@me`))
      return {
        id,
        verifiedEmail: verified && email ? email : undefined,
        name: global_name || username,
        handle: username,
        image: avatar ? `https://cdn.discordapp.com/avatars/${id}/${avatar}.png` : undefined,
      }
    },
  }
}
