import { useAct } from '../../../server/act.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { wordOf } from '../../../texts/word-of.ts'
import { say } from '../../../toasts.ts'
import { ActButton } from '../../../ui/controls/act-button.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { RowButton } from '../../../ui/controls/row-button.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { useDate } from '../../../ui/facts/time.tsx'
import type { BulkAct } from '../../../ui/lists/bulk-bar.tsx'
import { actColumn, byAge, timeColumn } from '../../../ui/lists/columns.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { List } from '../../../ui/lists/list.tsx'
import type { Column } from '../../../ui/lists/table.tsx'
import { wordsOf } from '../../../ui/messages/failure.tsx'
import { Page } from '../../../ui/page.tsx'
import { useFilters } from '../../use-filters.ts'
import { useShown } from '../../use-shown.ts'
import { consoleKeys, filterNames, publishedQuery } from '../queries.ts'
import type { Published } from '../rows.ts'
import { useOpened } from '../use-opened.ts'
import { NotificationEditor } from './notification-editor.tsx'

const newOne = 'new'

export function ConsoleNotifications() {
  const { publishing, nav, common } = useTexts()
  const view = useFilters(filterNames.notifications)
  const { values, open, set, setOpen } = view
  const archived = values.archived === 'yes'
  const shown = useShown(publishedQuery(view), view)
  const { opened } = useOpened(shown.query.data?.items ?? [], open)
  const isNew = open === newOne

  return (
    <Page
      title={publishing.title}
      tabTitle={`${publishing.title} · ${nav.console}`}
      lead={publishing.lead}
      actions={
        <Button look="primary" onPress={() => setOpen(newOne)}>
          {publishing.write}
        </Button>
      }
    >
      <List
        name="notifications"
        label={publishing.title}
        {...shown}
        asked={opened || isNew ? undefined : open}
        rowKey={({ id }) => id}
        columns={useColumns(setOpen)}
        empty={
          <EmptyState
            icon="bell"
            title={archived ? publishing.emptyArchiveTitle : publishing.emptyTitle}
            text={archived ? publishing.emptyArchiveText : publishing.emptyText}
          />
        }
        filters={
          <Segments
            label={common.show}
            value={archived ? 'archived' : 'live'}
            options={{ live: publishing.live, archived: publishing.archived }}
            onChange={(value) => set('archived', value === 'archived' ? 'yes' : undefined)}
          />
        }
        bulk={useBulkActs(archived)}
        rowName={({ title }) => title}
      />
      {(opened || isNew) && (
        <NotificationEditor key={open} published={opened?.row} onClose={() => setOpen(undefined)} />
      )}
    </Page>
  )
}

function useBulkActs(archived: boolean): readonly BulkAct<Published>[] {
  const { publishing } = useTexts()
  const path = archived ? '/api/admin/restore_notification' : '/api/admin/archive_notification'
  return [
    {
      label: archived ? publishing.restore : publishing.archive,
      done: archived ? publishing.restoredMany : publishing.archivedMany,
      refreshes: [consoleKeys.notifications],
      act: ({ id }) => call(path, { id }),
    },
  ]
}

function useColumns(onOpen: (id: string) => void): readonly Column<Published>[] {
  const { publishing, common, inbox } = useTexts()
  const date = useDate()
  const audienceOf = ({ target_user_id, audience, reached }: Published) => {
    if (audience !== null) return reached === null ? publishing.savedView : publishing.peopleOfView(reached)
    return target_user_id ? publishing.onePerson : publishing.everybody
  }
  return [
    {
      key: 'title',
      title: publishing.headline,
      cell: ({ id, title, publish_at }) => (
        <>
          <RowButton onPress={() => onOpen(id)}>
            <PersonText>{title}</PersonText>
          </RowButton>
          {publish_at !== null && <Badge look="warning">{publishing.waitsUntil(date(publish_at))}</Badge>}
        </>
      ),
    },
    {
      key: 'type',
      title: inbox.type,
      width: 'w-32',
      leaves: 2,
      cell: ({ type }) => <PersonText>{wordOf(publishing.kinds, type)}</PersonText>,
    },
    {
      key: 'audience',
      title: publishing.audience,
      width: 'w-32',
      leaves: 3,
      isPlain: true,
      cell: (row) => <Badge look={row.target_user_id ? 'plain' : 'accent'}>{audienceOf(row)}</Badge>,
    },
    timeColumn('when', common.when, ({ created_at }) => created_at, { leaves: 4, sorts: byAge }),
    actColumn(common.actions, 'w-32', (row) =>
      row.archived_at === null ? <Archive row={row} /> : <Restore row={row} />,
    ),
  ]
}

function useRestore(id: string) {
  const texts = useTexts()
  return useAct({
    act: () => call('/api/admin/restore_notification', { id }),
    done: texts.publishing.restoredNow,
    refreshes: [consoleKeys.notifications],
    onFailed: (error) => say(wordsOf(texts, error), { isFailure: true }),
  })
}

function Restore({ row }: { readonly row: Published }) {
  const { publishing } = useTexts()
  const restore = useRestore(row.id)
  return (
    <Button
      size="small"
      isPending={restore.isPending}
      onPress={() => restore.mutate()}
      aria-label={publishing.restoreNamed(row.title)}
    >
      {publishing.restore}
    </Button>
  )
}

/** One click, because it can be undone with one. */
function Archive({ row }: { readonly row: Published }) {
  const { publishing, common } = useTexts()
  const restore = useRestore(row.id)
  return (
    <ActButton
      size="small"
      label={publishing.archive}
      name={publishing.archiveNamed(row.title)}
      act={() => call('/api/admin/archive_notification', { id: row.id })}
      refreshes={[consoleKeys.notifications]}
      onDone={() => say(publishing.archivedNow, { action: { label: common.undo, act: restore.mutate } })}
    />
  )
}
