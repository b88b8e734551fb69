import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { call } from '../../api.ts'
import { saveFile } from '../../save-file.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Reasons } from '../../ui/reasons.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Time } from '../../ui/time.tsx'
import { useFilters } from './use-filters.ts'

const pageSize = 20

export function ConsoleBetaCodes() {
  const { codes } = useTexts()
  const { page, setPage } = useFilters([])
  const list = useQuery({
    queryKey: ['console', 'beta-codes', page],
    queryFn: () => call('/api/admin/list_beta_codes', { page, page_size: pageSize }),
    placeholderData: keepPreviousData,
  })
  return (
    <Page title={codes.title} lead={codes.lead}>
      <Generate />
      <Failure error={list.error} />
      {list.isPending && <Skeleton rows={5} />}
      {list.data?.items.length === 0 && (
        <EmptyState icon="ticket" title={codes.emptyTitle} text={codes.emptyText} />
      )}
      {list.data && list.data.items.length > 0 && (
        <Table
          label={codes.title}
          rows={list.data.items}
          rowKey={({ code }) => code}
          columns={[
            { key: 'code', title: codes.code, cell: ({ code }) => <code>{code}</code> },
            { key: 'use', title: codes.use, cell: (row) => <Use {...row} /> },
            {
              key: 'when',
              title: codes.made,
              isExtra: true,
              cell: ({ created_at }) => <Time at={created_at} />,
            },
            {
              key: 'copy',
              title: '',
              align: 'end',
              cell: ({ code, used_by }) =>
                used_by === null && <CopyButton text={code} label={codes.copyNamed(code)} />,
            },
          ]}
        />
      )}
      {list.data && <Pager page={page} pageSize={pageSize} total={list.data.total} onChange={setPage} />}
    </Page>
  )
}

interface UseProps {
  readonly used_by: string | null
  readonly used_by_email: string | null
}

function Use({ used_by, used_by_email }: UseProps) {
  const { codes } = useTexts()
  if (used_by === null) return <Badge look="accent">{codes.free}</Badge>
  return <TextLink to={`/console/users?open=${used_by}`}>{used_by_email ?? codes.used}</TextLink>
}

function Generate() {
  const { codes } = useTexts()
  const queryClient = useQueryClient()
  const [count, setCount] = useState('10')
  const make = useMutation({
    mutationFn: () => call('/api/admin/generate_beta_codes', { count: Number(count) }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['console', 'beta-codes'] }),
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  const made = make.data?.codes.join('\n') ?? ''
  return (
    <Card title={codes.make} lead={codes.makeLead}>
      <form onSubmit={send} className="flex flex-wrap items-end gap-3">
        <TextField label={codes.count} inputMode="numeric" value={count} onChange={setCount} />
        <Button type="submit" look="primary" isPending={make.isPending}>
          {codes.makeAction}
        </Button>
      </form>
      {made && (
        <div className="mt-4 flex flex-col gap-3">
          <pre className="max-h-56 overflow-auto rounded-md bg-sunken p-3 text-[0.867rem]">{made}</pre>
          <div className="flex flex-wrap gap-2">
            <CopyButton text={made} label={codes.copyAll} />
            <Button size="small" onPress={() => saveFile('beta-codes.txt', `${made}\n`, 'text/plain')}>
              {codes.download}
            </Button>
          </div>
        </div>
      )}
      <div className="mt-4 empty:hidden">
        <Reasons error={make.error} />
      </div>
    </Card>
  )
}
