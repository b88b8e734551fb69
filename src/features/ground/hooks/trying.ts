import type { ProtectedCall } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { storable } from '../../../platform/storable.ts'
import { Refusal } from '../../../rules/refusal.ts'
import { currentSettings } from '../settings/current-settings.ts'
import type { HookName } from '../settings/parts/hooks.ts'
import { answerOf, type HookQuestion } from './asking.ts'

const SHOWN_CHARACTERS = 1_000

/** What this process was answered last. */
export function listHookAnswers({ questions }: Pick<Platform, 'questions'>, hook: HookName) {
  const items = [...questions.lastOf(hook)]
  return { items, total: items.length }
}

/** Asks the product about a sample, with the settings that are saved. Nothing comes of the answer. */
export async function tryHook(call: ProtectedCall, name: HookName) {
  const { hooks } = await currentSettings(call.platform)
  if (hooks[name].url === '') throw new Refusal('INVALID_REQUEST', 'Save the address of the hook first.')
  const { kept, text } = await answerOf(call, name, sampleOf(call, name), hooks)
  return { ...kept, answer: storable(text, SHOWN_CHARACTERS) }
}

/** The administrator, or somebody who is not a user yet. */
function sampleOf({ caller: { user } }: ProtectedCall, name: HookName): HookQuestion {
  const { id, email, name: called, email_verified } = user
  const newcomer = { id: null, email: 'sample@example.com', name: 'Sample', email_verified: false }
  const known = { id, email, name: called, email_verified: email_verified === 1 }
  return name === 'before_sign_up'
    ? { user: newcomer, method: 'password' }
    : { user: known, method: name === 'before_token' ? 'signed' : 'password' }
}
