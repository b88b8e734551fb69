import type { Progress } from '../backup/snapshot.ts'

/** One line that changes on a terminal; otherwise one line for each finished store. */
export function progressOn(terminal: NodeJS.WriteStream): Progress {
  const shown = new Map<string, number>()
  return (store, share) => {
    const percent = Math.floor(share * 100)
    if (shown.get(store) === percent) return
    shown.set(store, percent)
    if (terminal.isTTY) terminal.write(`\r  ${store} ${percent} %\x1b[K${percent === 100 ? '\n' : ''}`)
    else if (percent === 100) terminal.write(`  ${store} 100 %\n`)
  }
}
