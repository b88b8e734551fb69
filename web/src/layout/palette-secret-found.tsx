import { useQuery } from '@tanstack/react-query'
import { useProductWords } from '../product-words.ts'
import { useSignedIn } from '../server/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { wordOf } from '../texts/word-of.ts'
import { ScopeList } from '../ui/facts/scope-list.tsx'
import { useAgo } from '../ui/facts/time.tsx'
import { Icon } from '../ui/icon.tsx'
import { type Found, findQuery, useActAgainst, useFoundWords } from './palette-found.ts'
import type { Goal, GoalGroup } from './palette-goals.ts'
import type { Secret } from './palette-secret.ts'

/** Nobody but the administrator asks about a secret, and a signed token or a webhook's is found by no hash. */
const isAskable = ({ prefix, sha256 }: Secret) => sha256 !== undefined && !['eyJ', 'whsec_', 'ghl_'].includes(prefix)

/** What the secret belongs to, once it is known, and what can be done about it. */
export function useSecret(secret: Secret | undefined) {
  const { user } = useSignedIn()
  const isAdministrator = user.role === 'administrator'
  const isAsked = isAdministrator && secret !== undefined && isAskable(secret)
  const { data, error } = useQuery({ ...findQuery({ sha256: secret?.sha256 ?? '' }), enabled: isAsked })
  const item = isAsked ? data?.items[0] : undefined
  const goals = useGoalsFor(secret, item, isAdministrator)
  const groups: readonly GoalGroup[] = goals.length > 0 ? [{ name: 'acts', goals }] : []
  return { item, groups, error, isKnown: !isAsked || data !== undefined }
}

function useGoalsFor(secret: Secret | undefined, item: Found | undefined, isAdministrator: boolean): readonly Goal[] {
  const { nav, settings, found, palette } = useTexts()
  const actAgainst = useActAgainst()
  const wordsOf = useFoundWords()
  if (!secret) return []
  if (!isAdministrator)
    return [
      { to: '/settings/access', icon: 'key', title: `${nav.settings}: ${settings.access}` },
      { to: '/settings/security', icon: 'shield', title: `${nav.settings}: ${settings.security}` },
    ]
  if (secret.prefix === 'whsec_') return [{ to: '/console/webhooks', icon: 'link', title: found.webhooks }]
  if (!item) return []
  const act = actAgainst(item)
  const { to, icon } = wordsOf(item)
  const page: Pick<Goal, 'title' | 'icon'> = item.owner
    ? { title: palette.person(item.owner.email), icon: 'user' }
    : { title: item.title, icon }
  return [...(act ? [{ ...act, icon: 'warning' as const }] : []), ...(to ? [{ ...page, to, isKept: true }] : [])]
}

interface Props {
  readonly secret: Secret
  readonly item: Found | undefined
  readonly isKnown: boolean
}

/** Read out as a whole when it appears. */
export function SecretFound({ secret, item, isKnown }: Props) {
  const { found, access } = useTexts()
  const { words } = useProductWords()
  const wordsOf = useFoundWords()
  const ago = useAgo()
  const usedWords = (at: number | null) => (at === null ? access.neverUsed : `${access.used} ${ago(at)}`)
  const kind = wordOf(found.secrets, secret.prefix)
  const shown = item && wordsOf(item)
  return (
    <section aria-label={kind} className="flex flex-col gap-3 rounded-lg border border-line bg-sunken/50 p-4">
      <div role="status" className="flex items-start gap-3">
        <Icon name={shown?.icon ?? 'key'} className="mt-0.5 size-5 text-ink-soft" />
        <div className="min-w-0">
          <p className="wrap-anywhere font-medium">
            <bdi>{shown?.title ?? kind}</bdi>
          </p>
          {item && (
            <p className="wrap-anywhere text-ink-soft text-small">
              {[item.owner?.email, usedWords(item.last_used_at)].filter(Boolean).join(' · ')}
            </p>
          )}
          {!item && isKnown && <p className="text-ink-soft text-small">{unfoundWords(found, secret)}</p>}
        </div>
      </div>
      {item && item.scopes.length > 0 && <ScopeList scopes={item.scopes} words={words} />}
      <p className="text-small text-ink-soft">{found.onlyHash}</p>
    </section>
  )
}

function unfoundWords(found: ReturnType<typeof useTexts>['found'], { prefix, sha256 }: Secret): string {
  const own: Readonly<Record<string, string>> = found.notByHash
  return own[prefix] ?? (sha256 === undefined ? found.noHttps : found.unknown)
}
