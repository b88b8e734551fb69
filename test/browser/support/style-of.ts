import type { Locator } from 'playwright-core'

/** As the browser has computed it. */
export function styleOf(part: Locator, name: string): Promise<string | undefined> {
  return part.evaluate(
    (element, property) =>
      element.ownerDocument.defaultView?.getComputedStyle(element).getPropertyValue(property),
    name,
  )
}
