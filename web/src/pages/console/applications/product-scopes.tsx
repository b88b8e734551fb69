import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import { useForm } from '../../../forms/form.ts'
import { inOneResponse } from '../../../server/all-pages.ts'
import { call, type Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { Form } from '../../../ui/form.tsx'
import { actColumn } from '../../../ui/lists/columns.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { List } from '../../../ui/lists/list.tsx'
import { areSettled } from '../../../ui/lists/settled.ts'
import { consoleKeys, productScopesQuery } from '../queries.ts'

export function ProductScopes() {
  const { applications, common } = useTexts()
  const scopes = useQuery(productScopesQuery)
  const isSettled = useDeferredValue(areSettled([scopes]))
  return (
    <Card title={applications.productScopes} lead={applications.productScopesLead}>
      <List<Output<'/api/admin/list_product_scopes'>['items'][number]>
        name="product-permissions"
        label={applications.productScopes}
        query={scopes}
        rowKey={({ scope }) => scope}
        read={inOneResponse(productScopesQuery.queryFn)}
        empty={<EmptyState icon="key" title={applications.noScopes} text={applications.noScopesText} />}
        columns={[
          {
            key: 'scope',
            title: applications.scopeName,
            cell: ({ scope }) => <code className="break-all">{scope}</code>,
          },
          {
            key: 'words',
            title: applications.scopeWords,
            isPlain: true,
            cell: ({ description }) => <PersonText>{description}</PersonText>,
          },
          actColumn(common.remove, 'w-40', ({ scope }) => <Remove scope={scope} />),
        ]}
      />
      {isSettled && <Declare />}
    </Card>
  )
}

function Remove({ scope }: { readonly scope: string }) {
  const { applications, common } = useTexts()
  return (
    <ConfirmedAct
      size="small"
      label={common.remove}
      name={applications.removeScopeTitle(scope)}
      title={applications.removeScopeTitle(scope)}
      text={applications.removeScopeText}
      act={() => call('/api/admin/delete_product_scope', { scope })}
      refreshes={[consoleKeys.productScopes]}
    />
  )
}

function Declare() {
  const texts = useTexts()
  const { applications } = texts
  const { required } = fieldsOf(texts)
  const form = useForm({
    schema: z.object({ scope: required, description: required }),
    initial: { scope: '', description: '' },
    invalid: applications.scopeProblems,
    draft: 'product-scope',
    clears: true,
    act: (sent) => call('/api/admin/declare_product_scope', sent),
    refreshes: [consoleKeys.productScopes],
  })
  return (
    <Form form={form} className="mt-6 max-w-xl gap-5" place="start" submit={applications.declare}>
      <TextField
        {...form.field('scope')}
        label={applications.scopeName}
        hint={applications.scopeNameHint}
        placeholder="product:reports:read"
        mono
      />
      <TextField {...form.field('description')} label={applications.scopeWords} hint={applications.scopeWordsHint} />
    </Form>
  )
}
