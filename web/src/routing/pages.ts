import type { QueryKey } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { idIn } from '../pages/console/id-in.ts'
import {
  applicationsQuery,
  codesQuery,
  connectionsQuery,
  deliveriesQuery,
  failedDeliveriesQuery,
  feedbackQuery,
  figuresQuery,
  filterNames,
  latestFeedbackQuery,
  organizationQuery,
  organizationsQuery,
  overviewQuery,
  partQuery,
  partsAt,
  productPagesQuery,
  productScopesQuery,
  publishedQuery,
  queriesOfApplication,
  shardsQuery,
  usersQuery,
  viewsQuery,
  waitingDeliveriesQuery,
  webhooksQuery,
} from '../pages/console/queries.ts'
import {
  invitationsToMeQuery,
  membershipsQuery,
  queriesOfOrganization,
} from '../pages/settings/organizations/queries.ts'
import {
  accountsQuery,
  approvalsQuery,
  grantsQuery,
  personalTokensQuery,
  preferencesQuery,
  securityQuery,
  sessionsQuery,
} from '../pages/settings/queries.ts'
import {
  creditsQuery,
  latestQuery,
  notificationsQuery,
  shownNotifications,
  unreadQuery,
} from '../server/notifications.ts'
import { ownFeedbackQuery } from '../server/own-feedback.ts'
import { catalogue, type Part } from '../texts/catalogue.ts'
import { latePage } from '../ui/late.tsx'
import { filtersOf } from './filters.ts'
import type { Route } from './routes.tsx'

type Query = { readonly queryKey: QueryKey; queryFn(): Promise<unknown> }
type Queries = readonly Query[]

/** A page or a frame around pages, with a script of its own. */
export interface Source extends Route {
  /** Fetches the script, and the texts, before they are needed. */
  prefetch(): Promise<unknown>
  /** The page's first reads: fetched in parallel with its script. */
  data?(address: URL): Queries | Promise<Queries>
  readonly within?: readonly Source[]
}

type FetchPage = () => Promise<ComponentType>

function source(fetchPage: FetchPage, texts: Part): Source {
  const { prefetch, Part } = latePage(async () => {
    const [Page] = await Promise.all([fetchPage(), catalogue.open(texts)])
    return Page
  })
  return { prefetch, Page: Part }
}

function page(
  path: string,
  fetchPage: FetchPage,
  { texts = 'front', ...rest }: { readonly texts?: Part } & Pick<Source, 'data'> = {},
): Source {
  return { path, ...source(fetchPage, texts), ...rest }
}

/** Its pages get their texts with it. */
function frame(fetchPage: FetchPage, texts: Part, within: readonly Source[], rest: Pick<Source, 'data'> = {}): Source {
  return { ...source(fetchPage, texts), within, ...rest }
}

const moved = async () => (await import('../pages/settings/moved.tsx')).Moved
const missing = async () => (await import('../pages/missing.tsx')).Missing

/** The pages by address, with what each reads. */
export const pages: readonly Source[] = [
  page('/sign-in', async () => (await import('../pages/entry/sign-in.tsx')).SignIn),
  page('/sign-in/second-step', async () => (await import('../pages/entry/second-step.tsx')).SecondStep),
  page('/invitation', async () => (await import('../pages/entry/invitation.tsx')).Invitation),
  page('/sign-up', async () => (await import('../pages/entry/sign-up.tsx')).SignUp),
  page('/verify', async () => (await import('../pages/entry/verify.tsx')).Verify),
  page('/forgot', async () => (await import('../pages/entry/forgot.tsx')).Forgot),
  page('/reset', async () => (await import('../pages/entry/reset.tsx')).Reset),
  page('/secure', async () => (await import('../pages/entry/secure.tsx')).Secure),
  page('/beta', async () => (await import('../pages/beta.tsx')).Beta, { texts: 'inside' }),
  page('/return', async () => (await import('../pages/return.tsx')).Return),
  page('/unsubscribe', async () => (await import('../pages/unsubscribe.tsx')).Unsubscribe),
  page('/oauth/authorize', async () => (await import('../pages/access/authorize.tsx')).Authorize, {
    texts: 'inside',
  }),
  page('/oauth/consent', async () => (await import('../pages/access/consent.tsx')).Consent, {
    texts: 'inside',
  }),
  page('/oauth/end-session', async () => (await import('../pages/access/end-session.tsx')).EndSession, {
    texts: 'inside',
  }),
  frame(async () => (await import('../layout/signed-in-pages.tsx')).SignedInPages, 'inside', [
    page('/', async () => (await import('../pages/home/home.tsx')).Home, {
      data: () => [latestQuery, unreadQuery, creditsQuery, grantsQuery],
    }),
    page('/notifications', async () => (await import('../pages/notifications.tsx')).Notifications, {
      data: ({ searchParams }) => [notificationsQuery(shownNotifications(searchParams)), unreadQuery],
    }),
    page('/feedback', async () => (await import('../pages/feedback.tsx')).Feedback, {
      data: ({ searchParams }) => [ownFeedbackQuery(filtersOf(searchParams, []).page)],
    }),
    frame(async () => (await import('../pages/settings/settings.tsx')).Settings, 'front', [
      page('/settings', async () => (await import('../pages/settings/profile.tsx')).Profile),
      page('/settings/security', async () => (await import('../pages/settings/security/security.tsx')).Security, {
        data: () => [securityQuery, accountsQuery, sessionsQuery],
      }),
      page('/settings/access', async () => (await import('../pages/settings/apps-and-tokens.tsx')).AppsAndTokens, {
        data: () => [grantsQuery, approvalsQuery, personalTokensQuery],
      }),
      page(
        '/settings/organizations',
        async () => (await import('../pages/settings/organizations/organizations.tsx')).OwnOrganizations,
        { texts: 'organizations', data: () => [membershipsQuery, invitationsToMeQuery] },
      ),
      page(
        '/settings/organizations/*',
        async () => (await import('../pages/settings/organizations/organization.tsx')).OwnOrganization,
        {
          texts: 'organizations',
          data: ({ pathname }) => queriesOfOrganization(idIn(pathname)),
        },
      ),
      ...['password', 'accounts', 'sessions', 'tokens'].map((part) => page(`/settings/${part}`, moved)),
      page('/settings/notifications', async () => (await import('../pages/settings/preferences.tsx')).Preferences, {
        data: () => [preferencesQuery],
      }),
      page('/settings/data', async () => (await import('../pages/settings/data.tsx')).Data, {
        data: () => [accountsQuery, membershipsQuery],
      }),
    ]),
    frame(
      async () => (await import('../layout/administrator-pages.tsx')).AdministratorPages,
      'console',
      [
        page('/console', async () => (await import('../pages/console/overview/overview.tsx')).ConsoleOverview, {
          texts: 'firstHour',
          data: () => [
            ...[overviewQuery, figuresQuery(30), webhooksQuery],
            ...[accountsQuery, partQuery('brand'), connectionsQuery, securityQuery],
          ],
        }),
        page(
          '/console/settings/*',
          async () => (await import('../pages/console/settings/settings.tsx')).ConsoleSettings,
          { texts: 'organizations', data: ({ pathname }) => partsAt(pathname).map(partQuery) },
        ),
        page(
          '/console/feedback',
          async () => (await import('../pages/console/feedback/feedback.tsx')).ConsoleFeedback,
          { data: ({ searchParams }) => [feedbackQuery(filtersOf(searchParams, filterNames.feedback))] },
        ),
        page(
          '/console/notifications',
          async () => (await import('../pages/console/notifications/notifications.tsx')).ConsoleNotifications,
          {
            data: ({ searchParams }) => [publishedQuery(filtersOf(searchParams, filterNames.notifications))],
          },
        ),
        page('/console/users', async () => (await import('../pages/console/users/users.tsx')).ConsoleUsers, {
          data: ({ searchParams }) => [usersQuery(filtersOf(searchParams, filterNames.users))],
        }),
        page('/console/users/*', async () => (await import('../pages/console/person/person.tsx')).ConsolePerson, {
          data: async ({ pathname }) => (await import('../pages/console/person/queries.ts')).queriesOfPerson(pathname),
        }),
        page(
          '/console/organizations',
          async () => (await import('../pages/console/organizations/organizations.tsx')).ConsoleOrganizations,
          {
            texts: 'organizations',
            data: ({ searchParams }) => [organizationsQuery(filtersOf(searchParams, filterNames.organizations))],
          },
        ),
        page(
          '/console/organizations/*',
          async () => (await import('../pages/console/organizations/organization.tsx')).ConsoleOrganization,
          { texts: 'organizations', data: ({ pathname }) => [organizationQuery(idIn(pathname))] },
        ),
        page('/console/beta-codes', async () => (await import('../pages/console/beta-codes.tsx')).ConsoleBetaCodes, {
          data: ({ searchParams }) => [codesQuery(filtersOf(searchParams, filterNames.codes))],
        }),
        // Its list asks for a fresh session, so it is read by the page itself.
        page('/console/staff', async () => (await import('../pages/console/staff.tsx')).ConsoleStaff),
        page('/console/connect', async () => (await import('../pages/console/connect.tsx')).ConsoleConnect, {
          data: () => [productPagesQuery, latestFeedbackQuery, partQuery('assistants')],
        }),
        page('/console/shards', async () => (await import('../pages/console/shards.tsx')).ConsoleShards, {
          data: () => [shardsQuery, overviewQuery],
        }),
        page(
          '/console/webhooks',
          async () => (await import('../pages/console/webhooks/webhooks.tsx')).ConsoleWebhooks,
          { data: () => [webhooksQuery] },
        ),
        page(
          '/console/webhooks/*',
          async () => (await import('../pages/console/webhooks/endpoint.tsx')).ConsoleWebhook,
          {
            data: ({ pathname, searchParams }) => [
              webhooksQuery,
              waitingDeliveriesQuery(idIn(pathname)),
              failedDeliveriesQuery(idIn(pathname)),
              deliveriesQuery(idIn(pathname), filtersOf(searchParams, filterNames.deliveries)),
            ],
          },
        ),
        page(
          '/console/applications',
          async () => (await import('../pages/console/applications/applications.tsx')).ConsoleApplications,
          {
            data: ({ searchParams }) => [
              applicationsQuery(filtersOf(searchParams, filterNames.applications)),
              productScopesQuery,
            ],
          },
        ),
        page(
          '/console/applications/new',
          async () => (await import('../pages/console/applications/new.tsx')).ConsoleNewApplication,
          { data: () => [productScopesQuery] },
        ),
        page(
          '/console/applications/*',
          async () => (await import('../pages/console/applications/application.tsx')).ConsoleApplication,
          { data: ({ pathname }) => queriesOfApplication(idIn(pathname)) },
        ),
        page('/console/audit', async () => (await import('../pages/console/audit/audit.tsx')).ConsoleAudit, {
          data: async ({ searchParams }) => [
            (await import('../pages/console/audit/query.ts')).auditQuery(filtersOf(searchParams, filterNames.audit)),
          ],
        }),
      ],
      // They stand between the lines of the menu, which would move when they come.
      { data: () => [viewsQuery] },
    ),
    page('/settings/*', missing),
    page('/console/*', missing),
  ]),
  frame(async () => (await import('../layout/unknown-address.tsx')).UnknownAddress, 'inside', [page('/*', missing)]),
]
