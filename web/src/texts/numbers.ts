import { useSpoken } from './texts.tsx'

/** Writes numbers as the language of the page does; the browser's language can be another one. */
export function useNumber(options?: Intl.NumberFormatOptions): (value: number) => string {
  const { language } = useSpoken()
  const { format } = new Intl.NumberFormat(language, options)
  return format
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** "12 GB", in the largest unit that leaves a whole number. */
export function useBytes(): (bytes: number) => string {
  const { language } = useSpoken()
  return (bytes) => {
    const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
    const unit = units[step] ?? 'byte'
    const { format } = new Intl.NumberFormat(language, { style: 'unit', unit, maximumSignificantDigits: 3 })
    return format(bytes / 1000 ** step)
  }
}
