import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FactLine } from '../../ui/fact-line.tsx'
import { Failure } from '../../ui/failure.tsx'
import { ScopeList } from '../../ui/scope-list.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useAgo } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type Grant, grantsQuery } from './grants-query.ts'

export function Access() {
  const { access } = useTexts()
  const grants = useQuery(grantsQuery)
  const active = grants.data?.items.filter(({ status }) => status === 'active') ?? []
  const past = grants.data?.items.filter(({ status }) => status !== 'active') ?? []
  return (
    <>
      <Card title={access.title} lead={access.lead}>
        <Failure error={grants.error} />
        {grants.isPending && <Skeleton />}
        {grants.data && active.length === 0 && (
          <EmptyState icon="terminal" title={access.emptyTitle} text={access.emptyText} />
        )}
        <Grants grants={active} />
      </Card>
      {past.length > 0 && (
        <Card title={access.past}>
          <Grants grants={past} />
        </Card>
      )}
    </>
  )
}

function Grants({ grants }: { readonly grants: readonly Grant[] }) {
  return (
    <ul className="-my-5 divide-y divide-line">
      {grants.map((grant) => (
        <GrantRow key={grant.id} grant={grant} />
      ))}
    </ul>
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
          <p className="flex flex-wrap items-center gap-2 font-medium">
            {grant.client_name} <Badge look={isActive ? 'accent' : 'plain'}>{access[grant.status]}</Badge>
          </p>
          <p className="break-all font-mono text-[0.8rem] text-ink-soft leading-6">{grant.target_origin}</p>
          <FactLine facts={facts} />
        </div>
        {isActive && <Revoke grant={grant} />}
      </div>
      {isActive && <ScopeList scopes={grant.scopes} />}
    </li>
  )
}

function Revoke({ grant }: { readonly grant: Grant }) {
  const { access } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const queryClient = useQueryClient()
  const say = useToast()
  const revoke = useMutation({
    mutationFn: () => call('/api/revoke_grant', { id: grant.id }),
    onSuccess: async () => {
      setOpen(false)
      say(access.done)
      await queryClient.invalidateQueries({ queryKey: grantsQuery.queryKey })
    },
  })
  return (
    <>
      <Button
        size="small"
        look="warn"
        aria-label={access.revokeNamed(grant.client_name)}
        onPress={() => setOpen(true)}
      >
        {access.revoke}
      </Button>
      <ConfirmDialog
        title={access.confirmTitle(grant.client_name)}
        text={access.confirmText}
        action={access.revoke}
        isOpen={isOpen}
        isPending={revoke.isPending}
        error={revoke.error}
        onConfirm={() => revoke.mutate()}
        onClose={() => setOpen(false)}
      />
    </>
  )
}
