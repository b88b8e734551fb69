import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COME_AGAIN } from './actors/browser.ts'
import type { Violation } from './checker/facts.ts'
import { aboutOf, type Entry } from './history.ts'

/** The most lines of a history that are printed; the folder has all of them. */
const MOST_LINES = 25
const MOST_VIOLATIONS = 8

/** The shortest history that shows it: what contradicts, acts of that kind about the same, and the faults between. */
export function told(violation: Violation, entries: readonly Entry[]): string {
  const { rule, about, words, entries: shown } = violation
  const kinds = new Set(shown.map(({ deed }) => deed.kind))
  const from = Math.min(...shown.map(({ begun }) => begun))
  const to = Math.max(...shown.map(({ begun }) => begun))
  const name = about.at(-1) ?? ''
  const isRelated = ({ begun, outcome, deed }: Entry) =>
    begun <= to && outcome !== 'refused' && kinds.has(deed.kind) && !isRead(deed.kind) && aboutOf(deed).includes(name)
  const isFault = ({ begun, ended, chain }: Entry) => chain === 'nemesis' && begun <= to && ended >= from
  const lines = entries.filter((entry) => shown.includes(entry) || isRelated(entry) || isFault(entry))
  return [
    `${rule}: ${words}`,
    ...lines.slice(-MOST_LINES).map((entry) => `  ${shown.includes(entry) ? '→' : ' '} ${line(entry)}`),
  ].join('\n')
}

function isRead(kind: string): boolean {
  return /^(use|list|read|count|find|credit)/.test(kind)
}

function line({ begun, ended, chain, at, outcome, status, deed }: Entry): string {
  const { kind, ...rest } = deed
  const when = `${begun}–${Number.isFinite(ended) ? ended : '?'}`
  return `${when} ${chain} at ${at}: ${kind} ${JSON.stringify(rest)} ${outcome}${status && ` (${status})`}`
}

export function printed(violations: readonly Violation[], entries: readonly Entry[]): string {
  const shown = violations.slice(0, MOST_VIOLATIONS).map((violation) => told(violation, entries))
  const left = violations.length - shown.length
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join('\n\n')
}

export function keepIn(
  folder: string,
  entries: readonly Entry[],
  violations: readonly Violation[],
  errors: readonly string[],
): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'history.jsonl'), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
  writeFileSync(join(folder, 'violations.txt'), violations.map((each) => told(each, entries)).join('\n\n'))
  writeFileSync(join(folder, 'errors.log'), errors.join('\n'))
}

/** Counts how many acts were done, refused, and so on, in the words of the report. */
export function answersIn(acts: readonly Entry[]): Readonly<Record<string, number>> {
  const count = (isIt: (entry: Entry) => boolean) => acts.filter(isIt).length
  const unknown = acts.filter(({ outcome }) => outcome === 'unknown')
  const announced = unknown.filter(({ status }) => status.endsWith(COME_AGAIN)).length
  return {
    done: count(({ outcome }) => outcome === 'done'),
    refused: count(({ outcome, status }) => outcome === 'refused' && /^[34]/.test(status)),
    'not sent': count(({ outcome, status }) => outcome === 'refused' && !/^[34]/.test(status)),
    '503 with Retry-After': announced,
    'without an answer': unknown.length - announced,
  }
}
