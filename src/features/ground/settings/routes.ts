import type { z } from 'zod'
import { Nothing } from '../../../http/requests/body.ts'
import { type ProtectedCall, type ProtectedRoute, protectedRoute } from '../../../http/route.ts'
import type { Platform } from '../../../platform/platform.ts'
import { actorOf } from '../audit/audit.ts'
import { brandConfig } from './brand/brand.ts'
import { BrandConfig, UpdateBrand } from './brand/input.ts'
import { brandRoutes } from './brand/routes.ts'
import { currentSettings } from './current-settings.ts'
import { aiConfig, assistantsConfig, authenticationConfig, creditsConfig, emailConfig } from './documents.ts'
import {
  AiConfig,
  AssistantsConfig,
  AuthenticationConfig,
  CreditsConfig,
  EmailConfig,
  UpdateAi,
  UpdateAssistants,
  UpdateAuthentication,
  UpdateCredits,
  UpdateEmail,
} from './input.ts'
import type { Part, Settings } from './model.ts'
import {
  changedAi,
  changedAssistants,
  changedAuthentication,
  changedBrand,
  changedCredits,
  changedEmail,
} from './saving/changed-parts.ts'
import { guardedValues, wouldChange } from './saving/guarded-fields.ts'
import { saveSettings } from './saving/saving.ts'

interface PartRoutes<
  P extends Part,
  Update extends z.ZodType<{ expected_version: number }>,
  Document extends z.ZodType<unknown, { version: number }>,
> {
  readonly part: P
  readonly update: Update
  readonly document: Document
  readonly changed: (platform: Platform, now: Settings, sent: z.output<Update>) => Settings[P]
  readonly shown: (platform: Platform, settings: Settings) => z.input<Document>
  /** Options of the route that changes the part. */
  readonly updates?: Pick<ProtectedRoute, 'largestBodyBytes' | 'grants'>
}

/** A logo, as text. */
const LARGEST_BRAND_BYTES = 1024 * 1024

function partRoutes<
  P extends Part,
  Update extends z.ZodType<{ expected_version: number }>,
  Document extends z.ZodType<unknown, { version: number }>,
>({ part, update, document, changed, shown, updates }: PartRoutes<P, Update, Document>) {
  const present = async ({ platform, caller }: ProtectedCall) =>
    shown(platform, await currentSettings(platform, caller.settingsRevision))
  return [
    protectedRoute({
      method: 'POST',
      path: `/api/admin/get_${part}_config`,
      summary: `Read the ${part} settings; of secrets only whether they are configured`,
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
        shown(
          call.platform,
          await saveSettings(call.platform, actorOf(call), part, sent, changed, call.caller.settingsRevision),
        ),
    }),
  ] as const
}

export const settingsRoutes = [
  ...partRoutes({
    part: 'authentication',
    update: UpdateAuthentication,
    document: AuthenticationConfig,
    changed: changedAuthentication,
    shown: authenticationConfig,
  }),
  ...partRoutes({
    part: 'email',
    update: UpdateEmail,
    document: EmailConfig,
    changed: changedEmail,
    shown: emailConfig,
    // Each field says where letters go.
    updates: { grants: 'refused' },
  }),
  ...partRoutes({
    part: 'credits',
    update: UpdateCredits,
    document: CreditsConfig,
    changed: changedCredits,
    shown: creditsConfig,
  }),
  ...partRoutes({ part: 'ai', update: UpdateAi, document: AiConfig, changed: changedAi, shown: aiConfig }),
  ...partRoutes({
    part: 'brand',
    update: UpdateBrand,
    document: BrandConfig,
    changed: changedBrand,
    shown: brandConfig,
    updates: { largestBodyBytes: LARGEST_BRAND_BYTES },
  }),
  ...partRoutes({
    part: 'assistants',
    update: UpdateAssistants,
    document: AssistantsConfig,
    changed: changedAssistants,
    shown: assistantsConfig,
  }),
  ...brandRoutes,
] as const
