import { useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { useForm } from '../../forms/form.ts'
import { saveFile } from '../../save-file.ts'
import { useAct } from '../../server/act.ts'
import { call, type Output } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { CopyButton } from '../../ui/controls/copy-button.tsx'
import { SearchField } from '../../ui/controls/search-field.tsx'
import { Segments } from '../../ui/controls/segments.tsx'
import { TextField } from '../../ui/controls/text-field.tsx'
import { TextLink } from '../../ui/controls/text-link.tsx'
import { Badge } from '../../ui/facts/badge.tsx'
import { PersonText } from '../../ui/facts/person-text.tsx'
import { Time } from '../../ui/facts/time.tsx'
import { EmptyState } from '../../ui/lists/empty-state.tsx'
import { List } from '../../ui/lists/list.tsx'
import type { Column } from '../../ui/lists/table.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { Page } from '../../ui/page.tsx'
import { useFilters } from '../use-filters.ts'
import { useOrder } from '../use-order.ts'
import { codesQuery, codeUses, consoleKeys, filterNames } from './queries.ts'

type Code = Output<'/api/admin/list_beta_codes'>['items'][number]

export function ConsoleBetaCodes() {
  const { codes } = useTexts()
  const view = useFilters(filterNames.codes)
  const { values, set } = view
  const query = codesQuery(view)
  const list = useQuery(query)
  return (
    <Page title={codes.title} lead={codes.lead}>
      <Generate />
      <List
        name="invitation-codes"
        label={codes.title}
        query={list}
        rowKey={({ code }) => code}
        columns={useColumns()}
        empty={<EmptyState icon="ticket" title={codes.emptyTitle} text={codes.emptyText} />}
        filters={
          <>
            <Segments
              label={codes.use}
              value={codeUses.find((known) => known === values.used) ?? 'all'}
              options={{ all: codes.all, no: codes.free, yes: codes.used }}
              onChange={(value) => set('used', value === 'all' ? undefined : value)}
            />
            <SearchField
              label={codes.search}
              value={values.search ?? ''}
              maxLength={64}
              onSearch={(text, options) => set('search', text, options)}
            />
          </>
        }
        order={useOrder(query.order)}
        csv={{
          columns: ['code', 'used_by', 'used_by_email', 'created_at', 'used_at'],
          read: query.read,
        }}
        view={view}
      />
    </Page>
  )
}

function useColumns(): readonly Column<Code>[] {
  const { codes, common } = useTexts()
  return [
    { key: 'code', title: codes.code, cell: ({ code }) => <code>{code}</code> },
    { key: 'use', title: codes.use, cell: (row) => <Use {...row} /> },
    {
      key: 'when',
      title: codes.made,
      width: 'w-40',
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    {
      key: 'copy',
      title: common.actions,
      isTitleHidden: true,
      width: 'w-32',
      align: 'end',
      cell: ({ code, used_by }) =>
        used_by === null && <CopyButton text={code} label={codes.copyNamed(code)} />,
    },
  ]
}

function Use({ used_by, used_by_email }: Pick<Code, 'used_by' | 'used_by_email'>) {
  const { codes } = useTexts()
  if (used_by === null) return <Badge look="accent">{codes.free}</Badge>
  return (
    <TextLink to={`/console/users/${used_by}`}>
      <PersonText>{used_by_email ?? codes.used}</PersonText>
    </TextLink>
  )
}

function Generate() {
  const { codes } = useTexts()
  const make = useAct({
    act: (count: number) => call('/api/admin/generate_beta_codes', { count }),
    refreshes: [consoleKeys.codes],
  })
  const form = useForm({
    schema: z.object({ count: z.string().check(z.trim(), z.regex(/^[1-9]\d*$/, codes.countProblem)) }),
    initial: { count: '10' },
    error: make.error,
    invalid: { count: codes.countProblem },
    draft: 'beta-codes',
    onSend: ({ count }) => make.mutate(Number(count)),
  })
  const made = make.data?.codes.join('\n') ?? ''
  return (
    <Card title={codes.make} lead={codes.makeLead}>
      <form {...form.props} className="flex flex-wrap items-end gap-3">
        <TextField {...form.field('count')} label={codes.count} inputMode="numeric" />
        <Button type="submit" look="primary" isPending={make.isPending}>
          {codes.makeAction}
        </Button>
      </form>
      {made && (
        <div className="mt-4 flex flex-col gap-3">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard */}
          <pre tabIndex={0} className="max-h-56 overflow-auto rounded-md bg-sunken p-3 text-small">
            {made}
          </pre>
          <div className="flex flex-wrap gap-2">
            <CopyButton text={made} label={codes.copyAll} />
            <Button size="small" onPress={() => saveFile('beta-codes.txt', `${made}\n`, 'text/plain')}>
              {codes.download}
            </Button>
          </div>
        </div>
      )}
      <div className="mt-4 empty:hidden">
        <Failure error={form.failure} />
      </div>
    </Card>
  )
}
