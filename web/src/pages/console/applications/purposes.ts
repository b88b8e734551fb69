import { SCOPES } from '../../../../../src/rules/scopes.ts'
import { isAdministrative } from '../../../scope-tiers.ts'
import type { Application } from '../queries.ts'

interface Purpose extends Pick<Application, 'kind'> {
  readonly redirect_uris: readonly string[]
  /** An address of the usual form. */
  readonly example: string
  readonly scopes: readonly string[]
}

const identity = ['openid', 'profile', 'email'] as const
const onPhones = 'com.example.app:/callback'

/** What an administrator can say that they connect, with what its application begins with. */
export const purposes = {
  nextjs: {
    kind: 'web',
    redirect_uris: [],
    example: 'https://app.example.com/api/auth/callback/gatehouse',
    scopes: identity,
  },
  spa: { kind: 'browser', redirect_uris: [], example: 'https://app.example.com/', scopes: identity },
  mobile: { kind: 'native', redirect_uris: [], example: onPhones, scopes: [...identity, 'offline_access'] },
  service: { kind: 'service', redirect_uris: [], example: '', scopes: [] },
  assistant: {
    kind: 'native',
    // Any port of 127.0.0.1 is fine; with `localhost` the port has to be the assistant's own.
    redirect_uris: [
      'http://127.0.0.1/',
      'http://127.0.0.1/callback',
      'http://127.0.0.1/oauth/callback',
      // Claude Code with --callback-port 8080, Cursor, MCP Inspector.
      'http://localhost:8080/callback',
      'http://localhost:8787/callback',
      'http://localhost:6274/oauth/callback',
    ],
    example: 'http://127.0.0.1/callback',
    // Assistants ask for everything that a user can give.
    scopes: [...Object.keys(SCOPES).filter((scope) => !isAdministrative(scope)), 'offline_access'],
  },
  other: { kind: 'web', redirect_uris: [], example: 'https://app.example.com/callback', scopes: identity },
} as const satisfies Readonly<Record<string, Purpose>>

export type PurposeName = keyof typeof purposes

export const purposeNames = Object.keys(purposes).filter((name): name is PurposeName => name in purposes)

/** Those that an application of this kind can be for, the likeliest first. */
export const purposesOf = (kind: Application['kind']): readonly PurposeName[] =>
  purposeNames.filter((name) => purposes[name].kind === kind)

export const purposeNamed = (name: string | null): PurposeName | undefined =>
  purposeNames.find((known) => known === name)
