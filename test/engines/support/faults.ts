import { CAN_BE_TOO_NARROW, IS_STILL } from '../../browser/support/every-page.ts'

/**
 * The faults of the page in this window: it scrolls sideways, a control is cut off by what holds it, is out of reach,
 * or lies below something else once it has the focus, or a field does not tell a password manager what it is.
 */
export const FAULTS = `(async () => {
  const faults = []
  const tell = (what, node) => faults.push(what + ': ' + node.outerHTML.slice(0, 160))
  for (const one of [document.documentElement, ...document.querySelectorAll('${CAN_BE_TOO_NARROW}')])
    if (one.scrollWidth > one.clientWidth) tell('is wider than the window', one)

  if (matchMedia('(prefers-reduced-motion)').matches && !(${IS_STILL})) faults.push('moves')

  const controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary')].filter(
    (node) =>
      node.type !== 'hidden' && !node.disabled && node.checkVisibility({ visibilityProperty: true }) &&
      !node.closest('[inert], [aria-hidden=true]') && node.offsetWidth > 1 && node.offsetHeight > 1,
  )
  const seenOf = (node) => {
    let { left, right, top, bottom } = node.getBoundingClientRect()
    const whole = { width: right - left, height: bottom - top }
    for (let one = node; one.parentElement && getComputedStyle(one).position !== 'fixed'; one = one.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(one.parentElement)
      const edge = one.parentElement.getBoundingClientRect()
      if (overflowX === 'auto' || overflowX === 'scroll') [left, right] = [edge.left, edge.left + whole.width]
      else if (overflowX !== 'visible') [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)]
      if (overflowY === 'auto' || overflowY === 'scroll') [top, bottom] = [edge.top, edge.top + whole.height]
      else if (overflowY !== 'visible') [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)]
    }
    return { left, right, isWhole: right - left > whole.width - 2 && bottom - top > whole.height - 2 }
  }
  for (const node of controls) {
    const { left, right, isWhole } = seenOf(node)
    if (!isWhole) tell('is cut off', node)
    else if (left < -1 || (right > innerWidth + 1 && left + 40 > innerWidth)) tell('is beyond the edge', node)
  }

  const isHit = (node, x, y) => {
    const hit = document.elementFromPoint(x, y)
    return hit !== null && (node.contains(hit) || hit.contains(node) || hit.closest('label')?.control === node)
  }
  // Firefox does not move what shows a little.
  const isShown = (node, { left, right, top, bottom }) => {
    const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2
    const [high, low] = [Math.max(top, 0), Math.min(bottom, innerHeight)]
    return low > high && (low - high < 8 || [high + 3, (high + low) / 2, low - 3].some((y) => isHit(node, x, y)))
  }
  document.activeElement.blur()
  // Downwards and upwards: a bar that stays at an edge can hide what was scrolled just to it.
  for (const node of [...controls, ...controls.toReversed()]) {
    // Their windows never have the focus of the screen: nothing matches :focus, and Chromium judges the rings.
    if (node.tabIndex < 0 || node.matches('.sr-only')) continue
    node.focus()
    const isThere = () => [...node.getClientRects()].some((rect) => isShown(node, rect))
    // WebKit moves it a moment later, a text field some frames later.
    for (let frame = 0; !isThere() && frame < 30; frame += 1) await new Promise(requestAnimationFrame)
    if (!isThere()) tell('is hidden with the focus', node)
  }

  for (const node of document.querySelectorAll('input[type=password]')) {
    if (!/^(off|(current|new)-password)$/.test(node.autocomplete)) tell('is nothing that a password manager knows', node)
    const hasName = node.autocomplete === 'off' || node.form?.querySelector('[autocomplete~=username]')
    if (!hasName) tell('has no user name beside it', node)
  }
  for (const node of document.querySelectorAll('[autocomplete~=one-time-code]'))
    if (node.inputMode !== 'numeric') tell('opens no digits', node)
  return [...new Set(faults)]
})()`
