import type { Page } from '@playwright/test'

const MOST_STOPS = 200
const STEPS_AT_ONCE = 12

interface Fault {
  readonly what: string
  readonly html: string
}

/**
 * Walks through the page with Tab and returns controls that it does not reach, a focus that cannot be seen, and steps
 * back up.
 */
export async function faultsByKeyboard(page: Page): Promise<string[]> {
  await page.waitForFunction(DIALOG_HAS_FOCUS)
  await page.evaluate(WATCH)
  for (let step = 0; step < MOST_STOPS; step += STEPS_AT_ONCE) {
    for (let press = 0; press < STEPS_AT_ONCE; press += 1) await page.keyboard.press('Tab')
    if (await page.evaluate<boolean>('stops.some(({ node }, at) => at > 0 && node === stops[0].node)')) break
  }
  const faults = await page.evaluate<Fault[]>(JUDGE)
  return faults.map(({ what, html }) => `${what}: ${html}`)
}

/** An open dialog takes the focus by itself, which is no step with Tab. */
const DIALOG_HAS_FOCUS =
  "[...document.querySelectorAll('[role=dialog], [role=alertdialog]')].every((one) => one.contains(document.activeElement))"

// The ring is around the control, or around what stands for it: its label, or its neighbour.
const WATCH = `
  window.stops = []
  addEventListener('focusin', ({ target: node }) => {
    const around = [node, node.parentElement, node.nextElementSibling, node.closest('label')]
    const isSeen = around.some((one) => {
      if (!one) return false
      return [undefined, '::after'].some((part) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(one, part)
        return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0
      })
    })
    const { top, bottom, left, right, width } = node.getBoundingClientRect()
    let scrolled = 0
    for (let one = node.parentElement; one; one = one.parentElement) scrolled += one.scrollTop
    const place = { top: top + scrolled, bottom: bottom + scrolled, left, right, width }
    stops.push({ node, isSeen, place, part: node.closest('aside, header, nav, main, footer, form, table, ul') })
  }, true)
`

const JUDGE = `(() => {
  const faults = []
  const tell = (what, node) => faults.push({ what, html: node.outerHTML.slice(0, 120) })
  const wanted = [...document.querySelectorAll(
    'a[href], button, input, select, textarea, summary, [tabindex="0"]'
  )].filter((node) => {
    if (node.disabled || node.tabIndex < 0 || node.type === 'hidden') return false
    if (node.type === 'radio' && !node.checked) return false
    return node.checkVisibility({ visibilityProperty: true }) && !node.closest('[inert]')
  })
  for (const node of wanted)
    if (!stops.some((stop) => stop.node === node)) tell('Tab does not reach', node)
  for (const { node, isSeen } of stops) if (!isSeen) tell('the focus is not seen', node)
  const order = stops.slice(0, wanted.length)
  order.forEach(({ node, place, part }, at) => {
    const before = order[at - 1]
    if (!before || before.part !== part || place.width <= 1 || before.place.width <= 1) return
    const isAbove = place.bottom <= before.place.top + 1
    if (isAbove && place.left < before.place.right && wanted.indexOf(node) > 0) tell('Tab goes back up', node)
  })
  return faults
})()`
