import type { z } from 'zod'
import { Nothing } from '../../../http/requests/body.ts'
import { type ProtectedCall, type ProtectedRoute, protectedRoute } from '../../../http/route.ts'
import { brandRoutes } from './brand/routes.ts'
import { currentSettings } from './current-settings.ts'
import { shownPart } from './documents.ts'
import { type Part, settingsParts } from './model.ts'
import { guardedValues, wouldChange } from './saving/guarded-fields.ts'
import { saveSettings } from './saving/saving.ts'

interface PartRoutes<P extends Part, Update extends z.ZodType, Document extends z.ZodType> {
  readonly part: P
  readonly update: Update
  readonly document: Document
  readonly updates?: Pick<ProtectedRoute, 'largestBodyBytes' | 'grants'>
}

function partRoutes<
  P extends Part,
  Update extends z.ZodType<{ readonly expected_version: number }>,
  Document extends z.ZodType<unknown, { readonly version: number }>,
>({ part, update, document, updates }: PartRoutes<P, Update, Document>) {
  const present = async ({ platform, caller }: ProtectedCall) =>
    shownPart(platform, await currentSettings(platform, caller.settingsRevision), part)
  return [
    protectedRoute({
      method: 'POST',
      path: `/api/admin/get_${part}_config`,
      summary: `Read the ${part} settings; for secrets, only whether they are configured`,
      scope: `config:${part}:read`,
      input: Nothing,
      output: document,
      handle: present,
    }),
    protectedRoute({
      method: 'POST',
      path: `/api/admin/update_${part}_config`,
      summary: `Change the ${part} settings; fields that are not sent stay as they are`,
      scope: `config:${part}:write`,
      input: update,
      output: document,
      ...updates,
      needsFreshSession: async (call: ProtectedCall, sent: z.output<Update>) => {
        const guarded = guardedValues(part, sent)
        return guarded.length > 0 && wouldChange(guarded, sent, await present(call))
      },
      handle: async (call: ProtectedCall, sent: z.output<Update>) =>
        shownPart(call.platform, await saveSettings(call, part, { ...sent }, call.caller.settingsRevision), part),
    }),
  ] as const
}

export const settingsRoutes = [
  ...partRoutes(settingsParts.authentication),
  ...partRoutes(settingsParts.email),
  ...partRoutes(settingsParts.credits),
  ...partRoutes(settingsParts.ai),
  ...partRoutes(settingsParts.brand),
  ...partRoutes(settingsParts.assistants),
  ...partRoutes(settingsParts.organizations),
  ...partRoutes(settingsParts.hooks),
  ...brandRoutes,
] as const
