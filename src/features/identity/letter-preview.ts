import { z } from 'zod'
import { Answer } from '../../http/answers/answer.ts'
import { type ProtectedCall, protectedRoute } from '../../http/route.ts'
import type { Letter, LetterHead } from '../mail/letter.ts'
import { letterHead } from '../mail/sending.ts'
import { testLetter } from '../mail/test-letter.ts'
import { type Palette, paletteOf } from '../settings/brand/accent.ts'
import { Accent, Language, Name, Palette as PaletteSchema } from '../settings/brand/input.ts'
import { currentSettings } from '../settings/settings.ts'
import { codeLetter } from './codes/letters.ts'

/** The picture and the styles of a letter, and nothing else. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'self'; sandbox"

const KINDS = ['email-verification', 'password-reset', 'invitation', 'test'] as const

/** Unsaved values from the settings page replace the saved ones. */
const PreviewLetter = z.object({
  kind: z.enum(KINDS),
  language: Language,
  name: Name.optional(),
  accent: Accent.optional(),
})
type PreviewLetter = z.output<typeof PreviewLetter>

export const previewRoutes = [
  protectedRoute({
    method: 'GET',
    path: '/api/admin/preview_letter',
    summary: 'A letter as its reader would see it, as a page',
    scope: 'config:brand:read',
    input: PreviewLetter,
    output: z.string(),
    mediaType: 'text/html',
    handle: async (call: ProtectedCall, preview: PreviewLetter) => {
      const { html } = letterOf(preview, await headOf(call, preview))
      return new Answer(html, 200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': POLICY,
        'cache-control': 'no-store',
      })
    },
  }),
  protectedRoute({
    method: 'POST',
    path: '/api/admin/preview_palette',
    summary: 'The colours that pages make of an accent, in light and dark',
    scope: 'config:brand:read',
    input: z.object({ accent: Accent }),
    output: z.object({ palette: PaletteSchema.nullable() }),
    handle: async (_: ProtectedCall, { accent }) => ({ palette: paletteFor(accent) }),
  }),
] as const

async function headOf({ platform, caller }: ProtectedCall, preview: PreviewLetter): Promise<LetterHead> {
  const settings = await currentSettings(platform, caller.settingsRevision)
  const head = await letterHead(platform, settings, preview.language)
  return {
    ...head,
    appName: preview.name || head.appName,
    palette: preview.accent === undefined ? head.palette : paletteFor(preview.accent),
  }
}

function letterOf({ kind }: PreviewLetter, head: LetterHead): Letter {
  if (kind === 'test') return testLetter(head)
  return codeLetter(kind, head, {
    code: kind === 'invitation' ? undefined : '123456',
    link: 'https://example.com',
  })
}

function paletteFor(accent: string): Palette | null {
  return accent === '' ? null : paletteOf(accent)
}
