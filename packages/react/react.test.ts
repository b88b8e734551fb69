import { createElement, StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import {
  FeedbackButton,
  GatehouseProvider,
  NotificationBell,
  OrganizationSwitcher,
  UserButton,
  useNotifications,
  useOrganization,
  useSubmitFeedback,
  useUser,
} from './react.ts'

function Shown() {
  const { status, user, data } = useUser()
  const { status: known, organization, organizations } = useOrganization()
  const { unread, items } = useNotifications()
  const submit = useSubmitFeedback()
  return createElement(
    'p',
    {},
    `${status} ${user} ${data} ${known} ${organization} ${organizations.length} ${unread} ${items.length} ${typeof submit}`,
  )
}

/** Compiles only if the status narrows the rest. */
function Explained() {
  const current = useUser()
  const { status, error } = useOrganization()
  const words = status === 'failed' ? error.code : current.status === 'failed' ? current.error.message : 'no failure'
  return createElement('p', {}, words)
}

describe('gatehouse/react', () => {
  it('renders on a server: the elements with their attributes, and nothing about a user', () => {
    const link = createElement('a', { slot: 'links', href: '/billing' }, 'Billing')
    const server = 'https://id.example.com'
    const props = { server, token: () => 'secret' }
    const html = renderToString(
      createElement(
        StrictMode,
        {},
        createElement(
          GatehouseProvider,
          props,
          createElement(UserButton, { className: 'mine', showName: true }, link),
          createElement(NotificationBell, { theme: 'dark', lang: 'de' }),
          createElement(FeedbackButton, { version: '1.0' }),
          createElement(OrganizationSwitcher, { hidePersonal: true }),
          createElement(Shown),
        ),
      ),
    )

    expect(html).toBe(
      `<gatehouse-user server="${server}" class="mine" show-name=""><a slot="links" href="/billing">Billing</a></gatehouse-user>` +
        `<gatehouse-notifications server="${server}" theme="dark" lang="de"></gatehouse-notifications>` +
        `<gatehouse-feedback server="${server}" version="1.0"></gatehouse-feedback>` +
        `<gatehouse-organization server="${server}" hide-personal=""></gatehouse-organization>` +
        '<p>loading undefined undefined loading undefined 0 0 0 function</p>',
    )
  })

  it('says by the status whether there is an error', () => {
    const page = createElement(GatehouseProvider, { server: 'https://id.example.com' }, createElement(Explained))

    expect(renderToString(page)).toBe('<p>no failure</p>')
  })

  it('says what is missing if it is used without its provider', () => {
    expect(() => renderToString(createElement(Shown))).toThrow(/inside <GatehouseProvider>/)
  })
})
