import { useQuery } from '@tanstack/react-query'
import type { Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Loaded } from '../../../ui/lists/loaded.tsx'
import { Notice } from '../../../ui/messages/notice.tsx'
import { watchedOverviewQuery } from '../queries.ts'

type Store = Output<'/api/admin/get_overview'>['stores'][number]

/** The list of stores is at the end of the page; a problem with one is shown at its top. */
export function StoreTrouble({ stores }: { readonly stores: readonly Store[] }) {
  const { overview } = useTexts()
  const namesOf = (state: Store['state']) => stores.filter((store) => store.state === state).map(({ name }) => name)
  const [down, full] = [namesOf('down'), namesOf('read-only')]
  return (
    <>
      {down.length > 0 && (
        <Notice look="danger" title={overview.storeDownTitle(down.join(', '))}>
          {overview.storeDownText}
        </Notice>
      )}
      {full.length > 0 && (
        <Notice look="danger" title={overview.storeFullTitle(full.join(', '))}>
          {overview.storeFullText}
        </Notice>
      )}
    </>
  )
}

/** Shown beside a list, which does not wait for stores that take long to respond. */
export function CurrentStoreTrouble() {
  const query = useQuery(watchedOverviewQuery)
  return (
    <Loaded query={query} skeleton={null}>
      {({ stores }) => <StoreTrouble stores={stores} />}
    </Loaded>
  )
}
