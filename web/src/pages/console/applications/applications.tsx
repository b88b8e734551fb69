import { useDeferredValue, useState } from 'react'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { RowButton } from '../../../ui/controls/row-button.tsx'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { Badge } from '../../../ui/facts/badge.tsx'
import { byAge, timeColumn } from '../../../ui/lists/columns.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { List } from '../../../ui/lists/list.tsx'
import { areSettled } from '../../../ui/lists/settled.ts'
import type { Column } from '../../../ui/lists/table.tsx'
import { Page } from '../../../ui/page.tsx'
import { useFilters } from '../../use-filters.ts'
import { useShown } from '../../use-shown.ts'
import { applicationsQuery, filterNames } from '../queries.ts'
import type { Application } from './application.ts'
import { ApplicationActions } from './application-actions.tsx'
import { ApplicationEditor } from './application-editor.tsx'
import { ApplicationRefusals } from './application-refusals.tsx'
import { type Created, Credentials } from './credentials.tsx'
import { ProductScopes } from './product-scopes.tsx'

export function ConsoleApplications() {
  const { applications } = useTexts()
  const view = useFilters(filterNames.applications)
  const shown = useShown(applicationsQuery(view), view)
  const [open, setOpen] = useState<Application | 'new'>()
  const [created, setCreated] = useState<Created>()
  const isSettled = useDeferredValue(areSettled([shown.query]))
  const register = (
    <Button look="primary" onPress={() => setOpen('new')}>
      {applications.register}
    </Button>
  )
  return (
    <Page title={applications.title} lead={applications.lead} actions={register}>
      {created && <Credentials created={created} />}
      <List
        name="applications"
        label={applications.title}
        {...shown}
        rowKey={({ id }) => id}
        columns={useColumns(setOpen)}
        empty={<EmptyState icon="key" title={applications.emptyTitle} text={applications.emptyText} />}
      />
      {isSettled && <ProductScopes />}
      {open && <Opened open={open} onCreated={setCreated} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

interface OpenedProps {
  readonly open: Application | 'new'
  onCreated(created: Created): void
  onClose(): void
}

function Opened({ open, onCreated, onClose }: OpenedProps) {
  const { applications } = useTexts()
  return (
    <Dialog title={open === 'new' ? applications.register : <bdi>{open.name}</bdi>} width="wide" onClose={onClose}>
      {open !== 'new' && <ApplicationRefusals id={open.id} />}
      <ApplicationEditor
        application={open === 'new' ? undefined : open}
        onDone={(made) => {
          if (made) onCreated(made)
          onClose()
        }}
      />
      {open !== 'new' && (
        <ApplicationActions
          application={open}
          onSecret={(client_secret) => {
            onCreated({ client_id: open.client_id, client_secret })
            onClose()
          }}
          onDeleted={onClose}
        />
      )}
    </Dialog>
  )
}

function useColumns(open: (application: Application) => void): readonly Column<Application>[] {
  const { applications, config } = useTexts()
  return [
    {
      key: 'name',
      title: applications.fields.name,
      cell: (row) => (
        <RowButton onPress={() => open(row)}>
          <bdi>{row.name}</bdi>
        </RowButton>
      ),
    },
    {
      key: 'kind',
      title: applications.fields.kind,
      width: 'w-40',
      leaves: 3,
      isPlain: true,
      cell: ({ kind }) => <Badge>{applications.kinds[kind]}</Badge>,
    },
    {
      key: 'id',
      title: config.clientId,
      leaves: 2,
      cell: ({ client_id }) => <code className="break-all text-tiny">{client_id}</code>,
    },
    timeColumn('when', applications.created, ({ created_at }) => created_at, { leaves: 1, sorts: byAge }),
  ]
}
