import { useSpoken } from './texts.tsx'

/** Writes numbers as the language of the page does; the browser's language can be another one. */
export function useNumber(options?: Intl.NumberFormatOptions): (value: number) => string {
  const { language } = useSpoken()
  const { format } = new Intl.NumberFormat(language, options)
  return format
}
