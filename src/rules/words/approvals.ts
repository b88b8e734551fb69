import type { Language } from '../languages.ts'
import type { RouteAction, Scope } from '../scopes.ts'
import type { CallWords } from './calls.ts'
import { callsEn } from './calls-en.ts'
import { callsZh } from './calls-zh.ts'

/** A call that waits for its user. What it sends stays sealed with the call. */
export interface ApprovalFacts {
  readonly approval_id: string
  readonly client_name: string
  readonly client_domain: string | null
  /** The service that asks through the connection. */
  readonly service: string | null
  readonly route: string
  readonly action: RouteAction | null
  readonly scope: Scope | null
  readonly expires_at: number
}

export interface Words {
  readonly title: string
  readonly content: string
}

interface Sentences {
  readonly calls: CallWords
  wants(asker: string, act: string): string
  through(service: string, client: string): string
  call(route: string): string
  may(sentence: string): string
  readonly deadline: string
}

const SENTENCES: Readonly<Record<Language, Sentences>> = {
  en: {
    calls: callsEn,
    wants: (asker, act) => `${asker} wants to ${act.charAt(0).toLowerCase()}${act.slice(1)}`,
    through: (service, client) => `${service}, through ${client},`,
    call: (route) => `call ${route}`,
    may: (sentence) => `${sentence}.`,
    deadline: 'Approve or deny it within ten minutes.',
  },
  zh: {
    calls: callsZh,
    wants: (asker, act) => `${asker} 想要${act}`,
    through: (service, client) => `${service}（通过 ${client}）`,
    call: (route) => `调用 ${route}`,
    may: (sentence) => `${sentence}。`,
    deadline: '请在十分钟内批准或拒绝。',
  },
}

/** Who asks for what, and the sentence of the scope that it uses. */
export function approvalWords(language: Language, facts: ApprovalFacts): Words {
  const { calls, wants, through, call, may, deadline } = SENTENCES[language]
  const { client_name, client_domain, service, route, action, scope } = facts
  const client = client_domain === null ? client_name : `${client_name} (${client_domain})`
  const act = action === null ? call(route) : calls.actions[action]
  const sentence = scope === null ? [] : [may(calls.scopes[scope])]
  return {
    title: wants(service === null ? client : through(service, client), act),
    content: [...sentence, deadline].join('\n'),
  }
}

/** Input fields of calls, as the card names them. */
export function fieldWords(language: Language): CallWords['fields'] {
  return SENTENCES[language].calls.fields
}
