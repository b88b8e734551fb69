import { z } from 'zod'

const LONGEST_URL = 2_000

/** Where this service sends something. */
export const EndpointUrl = z
  .string()
  .max(LONGEST_URL)
  .refine((text) => isWebUrl(text), 'must be an https:// address without a name, password or fragment')
  .refine((text) => (URL.parse(text)?.href.length ?? 0) <= LONGEST_URL, 'is too long in the form in which it is called')
  // The address as it will be called: without tabs, line breaks and lone surrogates, which parsing drops or replaces.
  .transform((text) => new URL(text).href)

function isWebUrl(text: string): boolean {
  const url = URL.parse(text)
  return /^https?:$/.test(url?.protocol ?? '') && !url?.username && !url?.password && !url?.hash
}
