import { readFileSync } from 'node:fs'

interface Row {
  readonly letters: readonly string[]
  readonly without: string
}

/** The table of docs/security.md: which letters an act in the audit log can send, and what sends none. */
export function letterTable(): ReadonlyMap<string, Row> {
  const text = readFileSync(`${import.meta.dirname}/../../../docs/security.md`, 'utf8')
  const section = /## Which change sends which letter\n([\s\S]*?)\n## /.exec(text)?.[1] ?? ''
  const [, , ...lines] = section.split('\n').filter((line) => line.startsWith('|'))
  return new Map(
    lines.map((line) => {
      const [action = '', letters = '', without = ''] = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
      return [action.replaceAll('`', ''), { letters: letters.split(', ').filter(Boolean), without }]
    }),
  )
}
