import type { Locator, Page } from 'playwright-core'

/** On the sign-in page, wherever it leads afterwards. */
export async function fillSignIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Copied from a mail, then pasted by keyboard. */
export async function paste(place: Locator, text: string): Promise<void> {
  const page = place.page()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
  await place.focus()
  await page.keyboard.press('ControlOrMeta+V')
}
