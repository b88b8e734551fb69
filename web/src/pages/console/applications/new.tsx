import { Link, useLocation, useSearchParams } from '../../../routing/router.tsx'
import { useTexts } from '../../../texts/texts.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextLink } from '../../../ui/controls/text-link.tsx'
import { Icon, type IconName } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { NewApplication } from './application-editor.tsx'
import { type PurposeName, purposeNamed, purposeNames } from './purposes.ts'

const icons = {
  nextjs: 'layers',
  spa: 'globe',
  mobile: 'device',
  service: 'terminal',
  assistant: 'sparkle',
  other: 'key',
} as const satisfies Record<PurposeName, IconName>

/** What is connected is asked first, and decides what the form begins with. */
export function ConsoleNewApplication() {
  const { applications } = useTexts()
  const { pathname } = useLocation()
  const [search] = useSearchParams()
  const purpose = purposeNamed(search.get('for'))
  return purpose === undefined ? (
    <Page
      key="question"
      title={applications.question}
      lead={<TextLink to="/console/applications">{applications.back}</TextLink>}
    >
      <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {purposeNames.map((name) => (
          <li
            key={name}
            className="relative flex items-start gap-3.5 rounded-lg border border-line bg-surface p-5 shadow-card transition-colors hover:border-accent"
          >
            <span className="grid size-10 shrink-0 place-items-center rounded-md bg-accent-soft text-accent">
              <Icon name={icons[name]} />
            </span>
            <div className="min-w-0">
              <Link
                to={`${pathname}?${new URLSearchParams({ for: name })}`}
                className="font-semibold after:absolute after:inset-0 after:rounded-lg"
              >
                {applications.purposes[name]}
              </Link>
              <p className="mt-0.5 text-ink-soft text-compact">{applications.purposeHints[name]}</p>
            </div>
          </li>
        ))}
      </ul>
    </Page>
  ) : (
    <Page
      key={purpose}
      title={applications.purposes[purpose]}
      lead={
        <>
          {applications.purposeHints[purpose]} <TextLink to={pathname}>{applications.otherPurpose}</TextLink>
        </>
      }
    >
      <Card>
        <NewApplication purpose={purpose} />
      </Card>
    </Page>
  )
}
