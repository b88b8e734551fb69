import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'

const web = fileURLToPath(new URL('../web', import.meta.url))
const textOf = (file: string) => readFileSync(join(web, file), 'utf8')

const COLOUR = /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/i
/** Tailwind's own colours, which styles.css removes. */
const FOREIGN_COLOUR =
  /\b(?:accent|bg|border|caret|decoration|divide|fill|outline|ring|stroke|text)-(?:black|white|[a-z]+-\d{2,3})\b/g
const PIXELS = /\b\d+px\b/
/** Colours and measures that are not ours to choose. */
const GIVEN: Readonly<Record<string, string>> = {
  'src/ui/facts/provider-mark.tsx': 'the colours of the providers’ own marks',
  'src/ui/controls/challenge.tsx': 'the height of the provider’s frame',
  'src/pages/settings/security/qr-code.tsx': 'black on white, which every camera can read',
  'src/pages/console/settings/brand/accent-field.tsx': 'where the choice of a colour begins',
}
/** Parts that no picture can show: they stand for a whole page, or act without a look of their own. */
const UNSEEN = [
  'controls/challenge.tsx',
  'dialogs/ask-to-confirm.tsx',
  'dialogs/ask-to-discard.tsx',
  'dialogs/form-act.tsx',
  'dialogs/confirm-identity.tsx',
  'messages/connection-banner.tsx',
  'messages/error-boundary.tsx',
  'messages/toasts.tsx',
  'page.tsx',
]

describe('the design of the pages', () => {
  it('has its colours and measures in the tokens of styles.css alone', () => {
    const sources = sourcesIn('src').filter((file) => !file.startsWith('src/texts/'))

    const raw = sources.filter((file) => COLOUR.test(textOf(file)) || PIXELS.test(textOf(file)))

    assert.deepEqual(raw, Object.keys(GIVEN).sort())
  })

  it('names no colour that is not a token, since such a class paints nothing', () => {
    const named = sourcesIn('src').flatMap((file) => textOf(file).match(FOREIGN_COLOUR) ?? [])

    assert.deepEqual(named, [])
  })

  it('shows every token on the page of components', () => {
    const styles = textOf('src/styles.css')
    const shown = textOf('components/tokens.tsx')

    const named = [...styles.matchAll(/--(color|text|radius)-([a-z-]+):/g)]
    const tokens = named
      .map(([, , name = '']) => name)
      .filter((name) => !/^(transparent|current)$/.test(name))

    assert.ok(tokens.length > 30)
    assert.deepEqual(
      tokens.filter((name) => !shown.includes(`'${name}'`)),
      [],
    )
  })

  it('shows every part of the pages there', () => {
    const shown = closureOf('components/main.tsx')

    const missing = sourcesIn('src/ui').filter((file) => file.endsWith('.tsx') && !shown.has(file))

    assert.deepEqual(missing, UNSEEN.map((file) => `src/ui/${file}`).sort())
  })
})

function sourcesIn(folder: string): string[] {
  return readdirSync(join(web, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(folder, file))
    .sort()
}

/** Every file that is fetched with the first one. */
function closureOf(first: string, found = new Set<string>()): Set<string> {
  if (found.has(first)) return found
  found.add(first)
  for (const [, path = ''] of textOf(first).matchAll(
    /^(?:import (?!type )|} )[^\n]*from '(\.[^']+\.tsx?)'/gm,
  ))
    closureOf(relative(web, join(web, dirname(first), path)), found)
  return found
}
