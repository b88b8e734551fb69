import type { ReactNode } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { Badge } from './badge.tsx'
import { FactLine } from './fact-line.tsx'
import { ScopeList } from './scope-list.tsx'
import { Since } from './time.tsx'

export interface Granted {
  readonly status: 'active' | 'revoked' | 'expired'
  readonly scopes: readonly string[]
  readonly last_used_at: number | null
  /** Not kept for a personal token. */
  readonly revoked_at?: number | null
  readonly expires_at: number | null
}

interface EntryProps {
  readonly entry: Granted
  readonly name: string
  /** What it is for, and since or until when. */
  readonly facts: readonly ReactNode[]
  /** Descriptions of the product's permissions. */
  readonly words: Readonly<Record<string, string>>
  readonly children?: ReactNode
}

/** What an entry is and may do, as wide as its permissions need. */
export function Entry({ entry, name, facts, words, children }: EntryProps) {
  const { access } = useTexts()
  const { status, scopes, last_used_at, revoked_at = null, expires_at } = entry
  const ended = status === 'expired' ? expires_at : revoked_at
  const used = last_used_at === null ? access.neverUsed : <Since key="used" label={access.used} at={last_used_at} />
  return (
    <div className="flex max-w-2xl flex-col gap-3">
      <div>
        <span className="flex flex-wrap items-center gap-2 font-medium">
          <bdi>{name}</bdi> <Badge look={status === 'active' ? 'accent' : 'plain'}>{access[status]}</Badge>
        </span>
        <FactLine facts={[...facts, used, ended !== null && <Since key="ended" label={access.ended} at={ended} />]} />
      </div>
      <ScopeList scopes={scopes} words={words} />
      {children}
    </div>
  )
}
