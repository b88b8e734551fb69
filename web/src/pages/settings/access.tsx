import { useClientName } from '../../client-name.ts'
import { useProductWords } from '../../product-words.ts'
import { call } from '../../server/api.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Card } from '../../ui/card.tsx'
import { Entry } from '../../ui/facts/entry.tsx'
import { SentenceWith } from '../../ui/facts/person-text.tsx'
import { Since, useDate } from '../../ui/facts/time.tsx'
import { LoadFailure } from '../../ui/lists/loaded.tsx'
import type { Column } from '../../ui/lists/table.tsx'
import { ActiveOrPast, useActiveOrPast } from './active-or-past.tsx'
import { Approvals } from './approvals.tsx'
import { GrantRules, GrantToday } from './grant-rules.tsx'
import { type Grant, grantsQuery } from './queries.ts'

export function Access() {
  const { access, settings } = useTexts()
  const clientName = useClientName()
  const date = useDate()
  // Two connections of one tool differ only in when they were approved.
  const dated = (name: string, { created_at }: Grant) => `${name} (${date(created_at)})`
  const nameOf = (grant: Grant) => dated(clientName(grant), grant)
  const list = useActiveOrPast(grantsQuery)
  const { query: products, words } = useProductWords()
  return (
    <div className="flex flex-col gap-6">
      <Approvals />
      <Card title={settings.access} lead={access.lead}>
        <ActiveOrPast
          name="api-access"
          label={settings.access}
          list={list}
          rowName={nameOf}
          columns={useColumns(list.isPast, words, nameOf)}
          emptyTitle={access.emptyTitle}
          emptyText={access.emptyText}
          revoking={{
            label: access.revoke,
            nameOf: (grant) => dated(access.revokeNamed(clientName(grant)), grant),
            title: (grant) => <SentenceWith sentence={access.confirmTitle} words={clientName(grant)} />,
            text: access.confirmText,
            act: ({ id }) => call('/api/revoke_grant', { id }),
            done: access.done,
            titleOfMany: access.revokeMany,
            doneWithMany: access.revokedMany,
            queryKey: grantsQuery.queryKey,
          }}
        />
        {products.error && <LoadFailure query={products} />}
      </Card>
    </div>
  )
}

function useColumns(
  isPast: boolean,
  words: Readonly<Record<string, string>>,
  nameOf: (grant: Grant) => string,
): readonly Column<Grant>[] {
  const { access } = useTexts()
  const tool: Column<Grant> = {
    key: 'tool',
    title: access.tool,
    cell: (grant) => <Tool grant={grant} words={words} />,
  }
  if (isPast) return [tool]
  const cell = (grant: Grant) => <GrantRules grant={grant} name={nameOf(grant)} />
  return [tool, { key: 'rules', title: access.rules, width: 'w-60', isPlain: true, cell }]
}

function Tool({ grant, words }: { readonly grant: Grant; readonly words: Readonly<Record<string, string>> }) {
  const { access } = useTexts()
  const { status, target_origin, acting_services, created_at } = grant
  const facts = [
    <code key="origin" className="text-tiny">
      {target_origin}
    </code>,
    <Since key="approved" label={access.approved} at={created_at} />,
  ]
  return (
    <Entry entry={grant} name={useClientName()(grant)} facts={facts} words={words}>
      {acting_services.length > 0 && (
        <bdi className="text-small">{access.actingServices(acting_services.join(', '))}</bdi>
      )}
      {status === 'active' && <GrantToday grant={grant} />}
    </Entry>
  )
}
