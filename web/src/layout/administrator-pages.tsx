import { LatestEnd } from '../pages/console/receipt.tsx'
import { Missing } from '../pages/missing.tsx'
import { useLocation } from '../routing/router.tsx'
import { Outlet } from '../routing/routes.tsx'
import { isOfAdministration } from '../scope-tiers.ts'
import { useSignedIn } from '../server/session.ts'
import { useTexts } from '../texts/texts.tsx'
import { wordOf } from '../texts/word-of.ts'
import { TextLink } from '../ui/controls/text-link.tsx'
import { EmptyState } from '../ui/lists/empty-state.tsx'
import { useTitle } from '../ui/page.tsx'
import { consolePages, isSharedAt, lackingAt } from './console-navigation.ts'

/** Others see a missing page, and staff see whom to ask; the server refuses them anyway. */
export function AdministratorPages() {
  const { user } = useSignedIn()
  const { pathname } = useLocation()
  if (!isOfAdministration(user)) return <Missing />
  const lacking = lackingAt(user, pathname)
  if (lacking?.length !== 0) return <NotShared lacking={lacking} />
  return (
    <>
      <LatestEnd />
      <Outlet />
    </>
  )
}

function NotShared({ lacking = [] }: { readonly lacking: readonly string[] | undefined }) {
  const texts = useTexts()
  const { staff, scopes } = texts
  const { user } = useSignedIn()
  useTitle(staff.notShared)
  const shared = consolePages.filter((page) => isSharedAt(user, page.to))
  return (
    <EmptyState
      icon="key"
      heading="h1"
      title={staff.notShared}
      text={lacking.length === 0 ? staff.administratorsOwn : staff.ask}
      action={
        <div className="flex max-w-96 flex-col gap-4">
          <ul className="list-disc pl-5 text-left text-small">
            {lacking.map((scope) => (
              <li key={scope}>{wordOf(scopes, scope)}</li>
            ))}
          </ul>
          <p className="flex flex-wrap justify-center gap-x-4 gap-y-2">
            {shared.map((page) => (
              <TextLink key={page.to} to={page.to}>
                {page.title(texts)}
              </TextLink>
            ))}
          </p>
        </div>
      }
    />
  )
}
