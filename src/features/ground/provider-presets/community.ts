import { z } from 'zod'
import type { PlainPreset } from './preset.ts'

const AVATAR_PIXELS = 240

const User = z.object({
  id: z.union([
    z
      .int()
      .nonnegative()
      .transform((id) => String(id)),
    z.string().regex(/^[\w.-]{1,64}$/),
  ]),
  username: z.string().optional(),
  name: z.string().nullish(),
  avatar_template: z.string().nullish(),
})

/** A server with three known endpoints; an email address that it returns is not used. */
export function community(name: string, server: string): PlainPreset {
  return {
    kind: 'plain',
    name,
    pictures: [new URL(server).origin],
    scope: undefined,
    server: {
      issuer: server,
      authorization_endpoint: `${server}/oauth2/authorize`,
      token_endpoint: `${server}/oauth2/token`,
    },
    async profile(ask) {
      const user = User.parse(await ask(`${server}/api/user`))
      const avatar = user.avatar_template?.replaceAll('{size}', String(AVATAR_PIXELS))
      return {
        id: user.id,
        verifiedEmail: undefined,
        name: user.name || user.username,
        handle: user.username,
        image: avatar ? URL.parse(avatar, server)?.href : undefined,
      }
    },
  }
}
