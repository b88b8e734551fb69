import type { Person } from '../../service/people.ts'
import { Person as Newcomer } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'

const FIRST = 'Amara Björn Chloé Dmitri Elif Fatima Giulia Hiro Ines João Kaya Lúcia Mateus Noor Oskar Priya'.split(' ')
const LAST = 'Andersson Becker Costa Duarte Eriksen Fischer Gómez Haddad Ito Jansen Kowalczyk'.split(' ')
const OTHERS = ['王小明', 'Анна Иванова', 'Ζωή Παπαδάκη', 'นภา ศรีสุข', 'محمد الفارسي', '김하늘']
const DOMAINS = ['example.com', 'example.org', 'mail.example.net']
const MESSAGES = [
  ['problem', 'After I changed my address, the old one still got a letter. Is that meant to be?'],
  ['idea', 'Please let me name my passkeys when I add them, not only afterwards.'],
  ['praise', 'I lost my phone, and support had me back in my account within minutes. Thank you!'],
  ['problem', '登录后页面有时要等几秒才显示通知。'],
  ['idea', 'Could the export be a spreadsheet as well?'],
  ['other', '¿Puedo usar la misma cuenta en dos empresas?'],
  ['problem', 'The code field on my tablet loses the last digit when I paste.'],
  ['praise', 'Die dunkle Ansicht ist angenehm, auch nachts.'],
] as const
const STATES = ['new', 'in_progress', 'done', 'done'] as const
const BROWSERS = [
  'Mozilla/5.0 (X11; Linux x86_64) Firefox/153.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 15_1) AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/153.0.0.0 Safari/537.36',
] as const

/** A pseudo-random order that is the same in every run. */
const mixed = (at: number, among: number) => (at * 7_919 + 13) % among

/** The people who come on one day, and what they and the administrator do; `before` is how many came earlier. */
export async function crowdOf(service: Service, administrator: Person, before: number, count: number) {
  // Confirming an address needs a fresh session.
  await administrator.signIn()
  for (let at = before; at < before + count; at++) {
    const name = OTHERS[at % 23] ?? `${FIRST[mixed(at, FIRST.length)]} ${LAST[mixed(at >> 1, LAST.length)] ?? ''}`
    const address = `${plain(name) || 'guest'}.${at}@${DOMAINS[mixed(at, DOMAINS.length)]}`
    const person = new Newcomer(service, address, 'a lantern in the gateway')
    await person.signUp({ name })
    service.clock.advance({ minutes: 7 })
    if (at % 3 > 0) await administrator.post('/api/admin/mark_verified', { id: person.id })
    if (at % 4 === 1) await person.signIn({ 'user-agent': BROWSERS[at % BROWSERS.length] ?? '' })
    if (at % 9 === 4) await new Newcomer(service, address, 'not the password').signIn()
    if (at % 4 === 2) await giveFeedback(person, administrator, at >> 2)
    if (at % 31 === 7)
      await administrator.post('/api/admin/suspend_user', { id: person.id, reason: 'Sent advertisements' })
  }
}

/** Most messages of earlier days are dealt with. */
async function giveFeedback(person: Person, administrator: Person, number: number): Promise<void> {
  const [type, content] = MESSAGES[number % MESSAGES.length] ?? MESSAGES[0]
  const { body } = await person.post('/api/submit_feedback', { type, content })
  const status = STATES[number % STATES.length] ?? 'new'
  if (status !== 'new')
    await administrator.post('/api/admin/update_feedback', { id: body.id, user_id: person.id, status })
}

const plain = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z ]/g, '')
    .trim()
    .replaceAll(' ', '.')
