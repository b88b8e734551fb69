import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import * as z from 'zod/mini'
import { fieldsOf } from '../../../forms/fields.ts'
import { useForm } from '../../../forms/form.ts'
import { useAct } from '../../../server/act.ts'
import { inOneResponse } from '../../../server/all-pages.ts'
import { call } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { TextField } from '../../../ui/controls/text-field.tsx'
import { ConfirmedAct } from '../../../ui/dialogs/confirmed-act.tsx'
import { PersonText } from '../../../ui/facts/person-text.tsx'
import { EmptyState } from '../../../ui/lists/empty-state.tsx'
import { List } from '../../../ui/lists/list.tsx'
import { areSettled } from '../../../ui/lists/settled.ts'
import { Failure } from '../../../ui/messages/failure.tsx'
import { consoleKeys, productScopesQuery } from '../queries.ts'

export function ProductScopes() {
  const { applications } = useTexts()
  const scopes = useQuery(productScopesQuery)
  const isSettled = useDeferredValue(areSettled([scopes]))
  return (
    <Card title={applications.productScopes} lead={applications.productScopesLead}>
      <List
        name="product-permissions"
        label={applications.productScopes}
        query={scopes}
        rowKey={({ scope }) => scope}
        csv={{ columns: ['scope', 'description'], read: inOneResponse(productScopesQuery.queryFn) }}
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
            cell: ({ description }) => <PersonText>{description}</PersonText>,
          },
          {
            key: 'act',
            title: applications.removeScope,
            isTitleHidden: true,
            width: 'w-40',
            align: 'end',
            cell: ({ scope }) => <Remove scope={scope} />,
          },
        ]}
      />
      {isSettled && <Declare />}
    </Card>
  )
}

function Remove({ scope }: { readonly scope: string }) {
  const { applications } = useTexts()
  return (
    <ConfirmedAct
      size="small"
      label={applications.removeScope}
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
  const declare = useAct({
    act: (sent: { readonly scope: string; readonly description: string }) =>
      call('/api/admin/declare_product_scope', sent),
    refreshes: [consoleKeys.productScopes],
  })
  const { required } = fieldsOf(texts)
  const form = useForm({
    schema: z.object({ scope: required, description: required }),
    initial: { scope: '', description: '' },
    error: declare.error,
    invalid: applications.scopeProblems,
    draft: 'product-scope',
    onSend: (sent) => declare.mutate(sent, { onSuccess: () => form.clear() }),
  })
  return (
    <form {...form.props} className="mt-6 flex max-w-xl flex-col gap-5">
      <TextField
        {...form.field('scope')}
        label={applications.scopeName}
        hint={applications.scopeNameHint}
        placeholder="product:reports:read"
        mono
      />
      <TextField
        {...form.field('description')}
        label={applications.scopeWords}
        hint={applications.scopeWordsHint}
      />
      <Failure error={form.failure} />
      <div>
        <Button type="submit" look="primary" isPending={declare.isPending}>
          {applications.declare}
        </Button>
      </div>
    </form>
  )
}
