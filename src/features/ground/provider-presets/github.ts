import { z } from 'zod'
import type { PlainPreset } from './preset.ts'

const User = z.object({
  id: z.int().positive(),
  login: z.string(),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
})

const Emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))

/** GitHub, or a self-hosted GitHub with the same paths at another address. */
export function github(server: string, api: string): PlainPreset {
  return {
    kind: 'plain',
    name: 'GitHub',
    pictures: picturesOf(new URL(server)),
    scope: 'read:user user:email',
    server: {
      // The `iss` in its responses.
      issuer: `${server}/login/oauth`,
      authorization_endpoint: `${server}/login/oauth/authorize`,
      token_endpoint: `${server}/login/oauth/access_token`,
    },
    async profile(ask) {
      const user = User.parse(await ask(`${api}/user`))
      const emails = Emails.parse(await ask(`${api}/user/emails`))
      return {
        id: String(user.id),
        verifiedEmail: emails.find(({ primary, verified }) => primary && verified)?.email,
        name: user.name || user.login,
        handle: user.login,
        image: user.avatar_url ?? undefined,
      }
    },
  }
}

/** A self-hosted GitHub serves pictures itself, or at its host name after `avatars.`. */
function picturesOf({ origin, protocol, host }: URL): readonly string[] {
  if (origin === 'https://github.com') return ['https://avatars.githubusercontent.com']
  return [origin, `${protocol}//avatars.${host}`]
}
