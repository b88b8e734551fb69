const LONGEST = 2_048

/** Absolute, and of the web; anything else is no picture. */
export function webAddress(text: string | undefined, base?: string): string | undefined {
  if (!text || text.length > LONGEST) return undefined
  const address = URL.parse(text, base)
  return address && /^https?:$/.test(address.protocol) ? address.href : undefined
}
