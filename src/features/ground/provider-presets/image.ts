const LONGEST = 2_048

/** An absolute web address; anything else is ignored. */
export function webAddress(text: string | undefined, base?: string): string | undefined {
  if (!text || text.length > LONGEST) return undefined
  const address = URL.parse(text, base)
  return address && /^https?:$/.test(address.protocol) ? address.href : undefined
}
