import * as z from 'zod/mini'
import { useForm } from '../../forms/form.ts'
import { saveFile } from '../../save-file.ts'
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
import { actColumn, byAge, timeColumn } from '../../ui/lists/columns.tsx'
import { EmptyState } from '../../ui/lists/empty-state.tsx'
import { List } from '../../ui/lists/list.tsx'
import type { Column } from '../../ui/lists/table.tsx'
import { Failure } from '../../ui/messages/failure.tsx'
import { Page } from '../../ui/page.tsx'
import { useFilters } from '../use-filters.ts'
import { useShown } from '../use-shown.ts'
import { codesQuery, codeUses, consoleKeys, filterNames } from './queries.ts'

type Code = Output<'/api/admin/list_beta_codes'>['items'][number]

export function ConsoleBetaCodes() {
  const { codes, common } = useTexts()
  const view = useFilters(filterNames.codes)
  const shown = useShown(codesQuery(view), view)
  return (
    <Page title={codes.title} lead={codes.lead}>
      <Generate />
      <List
        name="invitation-codes"
        label={codes.title}
        {...shown}
        rowKey={({ code }) => code}
        columns={useColumns()}
        empty={<EmptyState icon="ticket" title={codes.emptyTitle} text={codes.emptyText} />}
        filters={
          <>
            <Segments
              {...view.choice('used', codeUses)}
              label={common.status}
              options={{ all: common.all, no: codes.free, yes: codes.used }}
            />
            <SearchField {...view.search} label={codes.search} maxLength={64} />
          </>
        }
      />
    </Page>
  )
}

function useColumns(): readonly Column<Code>[] {
  const { codes, common } = useTexts()
  return [
    { key: 'code', title: codes.code, cell: ({ code }) => <code>{code}</code> },
    { key: 'use', title: common.status, cell: (row) => <Use {...row} /> },
    timeColumn('when', codes.made, ({ created_at }) => created_at, { leaves: 2, sorts: byAge }),
    actColumn(
      common.actions,
      'w-32',
      ({ code, used_by }) => used_by === null && <CopyButton text={code} label={codes.copyNamed(code)} />,
    ),
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
  const { codes, common } = useTexts()
  const form = useForm({
    schema: z.object({ count: z.string().check(z.trim(), z.regex(/^[1-9]\d*$/, codes.countProblem)) }),
    initial: { count: '10' },
    invalid: { count: codes.countProblem },
    draft: 'beta-codes',
    act: ({ count }) => call('/api/admin/generate_beta_codes', { count: Number(count) }),
    refreshes: [consoleKeys.codes],
  })
  const made = form.got?.codes.join('\n') ?? ''
  return (
    <Card title={codes.make} lead={codes.makeLead}>
      <form {...form.props} className="flex flex-wrap items-end gap-3">
        <TextField {...form.field('count')} label={codes.count} inputMode="numeric" />
        <Button type="submit" look="primary" isPending={form.isPending}>
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
              {common.download}
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
