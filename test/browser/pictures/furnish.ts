import { enableProvider } from '../../providers/journey.ts'
import { changeSettings } from '../../service/change-settings.ts'
import { grantFor } from '../../service/grants.ts'
import { Person, people } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'
import { crowdOf } from './crowd.ts'

/** The days for which the service has been used. */
export const days = 12
const names = 'dora emil fay gus hana ivo june kofi lena milo nora otto pia'.split(' ')
/** The number of further users who come on each day. */
const CROWD = 14
/** The day on which each of them came. */
const arrivals = [0, 0, 2, 3, 3, 3, 5, 7, 7, 9, 10, 10, 11]
const opinions = [
  { type: 'praise', content: 'Signing in from the terminal took ten seconds. Lovely.' },
  { type: 'problem', content: 'On my phone the list of sessions jumps when I end one.' },
  { type: 'idea', content: 'A weekly summary of what my connected tools did would be useful.' },
  { type: 'other', content: 'May I move my account to the region where I live now?' },
  { type: 'problem', content: 'The code in the mail had run out before the mail arrived.' },
]
const notifications = [
  {
    title: 'Good to have you here',
    content: 'Settings is the place for your profile, your sessions and the tools that may act for you.',
  },
  {
    title: 'Dark mode has arrived',
    content: 'The pages follow your system now. Have a look, and tell us whether the contrast suits you.',
  },
  {
    title: 'Maintenance on Sunday',
    content: 'From 02:00 to 02:20 UTC the service restarts for an update. Signing in may take a little longer.',
  },
]

/** Fills a service as if it had been used for some days. */
export async function furnish(at: Service) {
  const everybody = await people(at)
  await changeSettings(at, 'email', { provider: 'outbox' })
  await enableProvider(at, 'provider_a')
  await enableProvider(at, 'provider_b')
  await everybody.administrator.post('/api/admin/generate_beta_codes', { count: 6 })
  for (let day = 0; day < days; day += 1) {
    for (const name of names.filter((_, index) => arrivals[index] === day)) {
      const newcomer = new Person(at, `${name}@example.com`, 'a lantern in the gateway')
      await newcomer.signUp()
      const opinion = opinions[names.length - 1 - names.indexOf(name)]
      if (opinion) await newcomer.post('/api/submit_feedback', opinion)
    }
    await crowdOf(at, everybody.administrator, day * CROWD, CROWD)
    const notification = notifications[day - days + notifications.length]
    if (notification) await everybody.administrator.post('/api/admin/create_notification', notification)
    // The crowd of a day has taken some of its minutes.
    at.clock.advance({ days: 1, minutes: -7 * CROWD })
  }
  await grantFor(everybody.ann, 'account:profile:read', 'operations:notifications:read')
  await grantFor(everybody.ann, 'operations:feedback:write')
  return everybody
}
