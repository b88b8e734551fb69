import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { Person } from '../../service/people.ts'

interface Listed {
  readonly items: readonly { readonly kind: string; readonly subject: string }[]
}

/** Every letter of one language side by side, as a mail program shows it. */
export async function shootLetters(page: Page, administrator: Person, language: string, folder: string) {
  const { body } = await administrator.post<Listed>('/api/admin/list_letters', { language })
  const letters = await Promise.all(
    body.items.map(async ({ kind }) => {
      const query = new URLSearchParams({ kind, language })
      const letter = await administrator.get<string>(`/api/admin/preview_letter?${query}`)
      return letter.body
    }),
  )
  await page.setViewportSize({ width: 2400, height: 1200 })
  await page.setContent(sheetOf(letters))
  await page.evaluate(FIT_FRAMES)
  await page.screenshot({ path: join(folder, `letters-${language}.png`), fullPage: true })
}

function sheetOf(letters: readonly string[]): string {
  const frames = letters.map(
    (letter) => `<iframe srcdoc="${letter.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`,
  )
  return `<!doctype html><style>body { margin: 0; columns: 5; column-gap: 0; background: #f6f5f1; }
    iframe { width: 480px; border: 0; display: block; break-inside: avoid; }</style>${frames.join('')}`
}

const FIT_FRAMES = `for (const frame of document.querySelectorAll('iframe'))
  frame.style.height = frame.contentDocument.documentElement.scrollHeight + 'px'`
