import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'vitest'

const pages = fileURLToPath(new URL('../web/src', import.meta.url))
const sources = globSync('**/*.{ts,tsx}', { cwd: pages }).filter((file) => !file.startsWith('texts/'))

interface Part {
  readonly what: string
  readonly written: RegExp
  /** The files that have it, each with the reason if it is not the part itself. */
  readonly files: Readonly<Record<string, string>>
}

const PARTS: readonly Part[] = [
  {
    what: 'a form that is not connected to useForm',
    written: /<form\b(?!\s*\{\.\.\.form\.props\})/,
    files: {
      'ui/controls/search-field.tsx': 'changes the address of the page and sends nothing',
      'ui/dialogs/confirm-dialog.tsx': 'gets the form from FormAct',
    },
  },
  {
    what: 'a form whose button cannot be pressed, so that nothing tells what is missing',
    written: /<Button\b(?=(?:[^>]|=>)*type="submit")(?:[^>]|=>)*isDisabled/,
    files: {},
  },
  {
    what: 'a form that saves what was not changed',
    written: /^(?=.*\buseForm\()(?=.*\.save\})(?!.*\bisEdit\b)/s,
    files: {},
  },
  {
    what: 'a draft of unsaved work',
    written: /\bkeepDraft\(/,
    files: { 'forms/draft.ts': '', 'forms/form.ts': '' },
  },
  {
    what: 'a field',
    written: /<(?:input|select|textarea)\b/,
    files: {
      'layout/palette.tsx': 'the search of the command palette, with a list of its own',
      'pages/console/settings/brand/accent-field.tsx': 'the browser’s choice of a colour',
      'pages/console/settings/brand/logo-field.tsx': 'the browser’s choice of a file',
      'pages/entry/invitation.tsx': 'a hidden user name for the password manager',
      'pages/entry/reset.tsx': 'a hidden user name for the password manager',
      'ui/controls/checkboxes.tsx': '',
      'ui/controls/code-input.tsx': '',
      'ui/controls/language-select.tsx': '',
      'ui/controls/segments.tsx': '',
      'ui/controls/select.tsx': '',
      'ui/controls/switch.tsx': '',
      'ui/controls/text-field.tsx': '',
      'ui/lists/bulk-bar.tsx': 'the rows of a list',
      'ui/lists/column-choice.tsx': 'the columns of a list',
      'ui/lists/pager.tsx': 'the page of a list',
      'ui/lists/use-selection.tsx': 'the rows of a list',
    },
  },
  {
    what: 'a dialog',
    written: /<dialog\b|<ModalOverlay\b|\b(?:alert|confirm|prompt)\(/,
    files: { 'layout/drawer.tsx': 'the navigation on a phone', 'ui/dialogs/dialog.tsx': '' },
  },
  {
    what: 'a table',
    written: /<table\b/,
    files: {
      'pages/console/overview/listed.tsx': 'the numbers of a chart, for screen readers',
      'ui/lists/table.tsx': '',
    },
  },
  { what: 'the table of a list', written: /<Table\b/, files: { 'ui/lists/list.tsx': '' } },
  {
    what: 'a number that is not written by useNumber',
    written: /\bNumberFormat\(|\.toLocaleString\(/,
    files: {},
  },
  {
    what: 'a text in the browser’s language instead of the page’s',
    written: /\bIntl\.\w+\(\)|\.toLocale\w+\(\)/,
    files: {},
  },
  { what: 'a queue of toasts', written: /\bnew ToastQueue\b/, files: { 'toasts.ts': '' } },
]

describe('each thing of the pages is done in one way', () => {
  for (const { what, written, files } of PARTS) {
    it(`${what} is only where it belongs`, () => {
      const found = sources.filter((file) => written.test(readFileSync(join(pages, file), 'utf8')))

      assert.deepEqual(found.toSorted(), Object.keys(files).toSorted())
    })
  }
})
