import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmedAct } from '../../ui/dialogs/confirmed-act.tsx'
import { Badge } from '../../ui/facts/badge.tsx'
import { FactLine } from '../../ui/facts/fact-line.tsx'
import { ScopeList } from '../../ui/facts/scope-list.tsx'
import { useAgo } from '../../ui/facts/time.tsx'
import { EmptyState } from '../../ui/lists/empty-state.tsx'
import { Loaded } from '../../ui/lists/loaded.tsx'
import { Pager } from '../../ui/lists/pager.tsx'
import { type Grant, grantsQuery } from './queries.ts'

export function Access() {
  const { access } = useTexts()
  const grants = useQuery(grantsQuery)
  const active = grants.data?.filter(({ status }) => status === 'active') ?? []
  const past = grants.data?.filter(({ status }) => status !== 'active') ?? []
  return (
    <>
      <Card title={access.title} lead={access.lead}>
        <Loaded query={grants}>
          {() =>
            active.length === 0 ? (
              <EmptyState icon="terminal" title={access.emptyTitle} text={access.emptyText} />
            ) : (
              <Grants grants={active} />
            )
          }
        </Loaded>
      </Card>
      {past.length > 0 && (
        <Card title={access.past}>
          <Grants grants={past} />
        </Card>
      )}
    </>
  )
}

const pageSize = 10

function Grants({ grants }: { readonly grants: readonly Grant[] }) {
  const [page, setPage] = useState(1)
  const last = Math.ceil(grants.length / pageSize)
  const shown = Math.min(page, last)
  return (
    <>
      <ul className="-my-5 divide-y divide-line">
        {grants.slice((shown - 1) * pageSize, shown * pageSize).map((grant) => (
          <GrantRow key={grant.id} grant={grant} />
        ))}
      </ul>
      {last > 1 && (
        <div className="mt-5 border-line border-t pt-4">
          <Pager page={shown} pageSize={pageSize} total={grants.length} onChange={setPage} />
        </div>
      )}
    </>
  )
}

function GrantRow({ grant }: { readonly grant: Grant }) {
  const { access } = useTexts()
  const ago = useAgo()
  const isActive = grant.status === 'active'
  const facts = [
    access.created(ago(grant.created_at)),
    grant.last_used_at === null ? access.neverUsed : access.lastUsed(ago(grant.last_used_at)),
    ...(grant.revoked_at === null ? [] : [access.revokedAt(ago(grant.revoked_at))]),
  ]
  return (
    <li className="flex flex-col gap-3 py-5">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <p className="wrap-anywhere flex flex-wrap items-center gap-2 font-medium">
            {grant.client_name} <Badge look={isActive ? 'accent' : 'plain'}>{access[grant.status]}</Badge>
          </p>
          <p className="break-all font-mono text-tiny text-ink-soft leading-6">{grant.target_origin}</p>
          <FactLine facts={facts} />
        </div>
        {isActive && (
          <ConfirmedAct
            size="small"
            label={access.revoke}
            name={access.revokeNamed(grant.client_name)}
            title={access.confirmTitle(grant.client_name)}
            text={access.confirmText}
            act={() => call('/api/revoke_grant', { id: grant.id })}
            done={access.done}
            refreshes={[grantsQuery.queryKey]}
          />
        )}
      </div>
      {isActive && <ScopeList scopes={grant.scopes} />}
    </li>
  )
}
