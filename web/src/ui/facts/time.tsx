import { useSyncExternalStore } from 'react'
import type { Language } from '../../texts/catalogue.ts'
import { useSpoken } from '../../texts/texts.tsx'

const steps = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const satisfies readonly (readonly [Intl.RelativeTimeFormatUnit, number])[]

const minuteMs = 60_000
const followers = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** One timer for all times of a page. */
function followMinutes(follower: () => void): () => void {
  timer ??= setInterval(() => {
    for (const follow of followers) follow()
  }, minuteMs / 4)
  followers.add(follower)
  return () => {
    followers.delete(follower)
    if (followers.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const thisMinute = () => Math.floor(Date.now() / minuteMs)

/** Making a format takes as long as writing dozens of times with it, and a list has hundreds of them. */
function inLanguage<Format>(make: (language: Language) => Format): (language: Language) => Format {
  const made = new Map<Language, Format>()
  return (language) => {
    const format = made.get(language) ?? make(language)
    made.set(language, format)
    return format
  }
}

const agoIn = inLanguage((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }))
const dateIn = inLanguage((language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }))
const exactIn = inLanguage((language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long' }))
const timeOfDayIn = inLanguage((language) => new Intl.DateTimeFormat(language, { timeStyle: 'medium' }))
const instantIn = inLanguage(
  (language) =>
    new Intl.DateTimeFormat(language, {
      ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
      ...{ fractionalSecondDigits: 2, hourCycle: 'h23' },
    }),
)
const dayIn = inLanguage((language) => new Intl.DateTimeFormat(language, { dateStyle: 'full' }))

/** "3 hours ago", in the language of the page; an open page updates it every minute. */
export function useAgo(): (at: number | string) => string {
  useSyncExternalStore(followMinutes, thisMinute)
  const { language } = useSpoken()
  const format = agoIn(language)
  return (at) => {
    const seconds = (new Date(at).getTime() - Date.now()) / 1000
    const step = steps.find(([, size]) => Math.abs(seconds) >= size)
    return step ? format.format(Math.round(seconds / step[1]), step[0]) : format.format(0, 'second')
  }
}

export function useDate(): (at: number | string) => string {
  const { language } = useSpoken()
  return (at) => dateIn(language).format(new Date(at))
}

/** "14:03:07.12", for what takes less than a second. */
export function useInstant(): (at: number) => string {
  const { language } = useSpoken()
  return (at) => instantIn(language).format(at)
}

/** To the second and with its zone, for a relative time that is pointed at. */
function useExact(): (at: number | string) => string {
  const { language } = useSpoken()
  return (at) => exactIn(language).format(new Date(at))
}

interface AgoProps {
  readonly at: number | string
  readonly className?: string
  /** The fact that the time is in, such as "Last used 3 hours ago". */
  words?(ago: string): string
}

export function Ago({ at, className, words = (ago) => ago }: AgoProps) {
  const ago = useAgo()
  const exact = useExact()
  return (
    <time dateTime={new Date(at).toISOString()} title={exact(at)} className={className}>
      {words(ago(at))}
    </time>
  )
}

/** "Created 3 days ago". */
export function Since({ label, at }: { readonly label: string; readonly at: number }) {
  return <Ago at={at} words={(ago) => `${label} ${ago}`} />
}

/** The exact time of day, and how long ago; the day is the heading above. */
export function TimeOfDay({ at }: { readonly at: number | string }) {
  const ago = useAgo()
  const exact = useExact()
  const { language } = useSpoken()
  return (
    <time dateTime={new Date(at).toISOString()} title={exact(at)}>
      <span className="tabular whitespace-nowrap">{timeOfDayIn(language).format(new Date(at))}</span>{' '}
      <span className="whitespace-nowrap text-ink-soft text-small">{ago(at)}</span>
    </time>
  )
}

/** "Thursday, 26 November 2026", in the reader's language and time zone. */
export function useDay(): (at: number | string) => string {
  const { language } = useSpoken()
  return (at) => dayIn(language).format(new Date(at))
}

export const Time = ({ at }: Pick<AgoProps, 'at'>) => <Ago at={at} className="whitespace-nowrap" />
