import { useDeferredValue } from 'react'
import { Link } from '../../../routing/router.tsx'
import type { Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { buttonClass } from '../../../ui/controls/button.tsx'
import { RowLink } from '../../../ui/controls/row-link.tsx'
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
import { ProductScopes } from './product-scopes.tsx'

type Listed = Output<'/api/admin/list_applications'>['items'][number]

export function ConsoleApplications() {
  const { applications } = useTexts()
  const view = useFilters(filterNames.applications)
  const shown = useShown(applicationsQuery(view), view)
  const isSettled = useDeferredValue(areSettled([shown.query]))
  const register = (
    <Link to="/console/applications/new" className={buttonClass({ look: 'primary' })}>
      {applications.register}
    </Link>
  )
  return (
    <Page title={applications.title} lead={applications.lead} actions={register}>
      <List
        name="applications"
        label={applications.title}
        {...shown}
        rowKey={({ id }) => id}
        columns={useColumns()}
        empty={<EmptyState icon="key" title={applications.emptyTitle} text={applications.emptyText} />}
      />
      {isSettled && <ProductScopes />}
    </Page>
  )
}

function useColumns(): readonly Column<Listed>[] {
  const { applications, config } = useTexts()
  return [
    {
      key: 'name',
      title: applications.fields.name,
      cell: (row) => (
        <RowLink to={`/console/applications/${encodeURIComponent(row.id)}`}>
          <bdi>{row.name}</bdi>
        </RowLink>
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
