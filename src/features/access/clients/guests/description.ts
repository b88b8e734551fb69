import { z } from 'zod'
import { nameOf } from '../../../../rules/names.ts'
import { faultOfRedirect, isOnThisMachine } from '../redirects.ts'

const LONGEST_NAME = 60

/** What a client says about itself, in a document or when it registers (RFC 7591 section 2). */
export const Description = z.object({
  client_name: nameOf(LONGEST_NAME),
  redirect_uris: z.array(z.string().max(2048)).min(1).max(20),
  client_uri: z.string().max(2048).optional(),
  token_endpoint_auth_method: z.string().max(64).optional(),
  grant_types: z.array(z.string().max(128)).max(20).optional(),
  response_types: z.array(z.string().max(64)).max(20).optional(),
})
export type Description = z.output<typeof Description>

/** RFC 8252 and the client's own domain: no code is sent to a domain that is not the one users are shown. */
export function faultOfRedirects(uris: readonly string[], domain: string | undefined): string | undefined {
  for (const uri of uris) {
    const fault = faultOfRedirect('native', uri)
    if (fault !== undefined) return fault
    const url = new URL(uri)
    if (isOnThisMachine(url) || url.protocol !== 'https:') continue
    if (domain === undefined) return 'Use a loopback address or a scheme like com.example.app:/'
    if (url.host !== domain) return `Use addresses of ${domain}, a loopback address, or a private scheme.`
  }
  return undefined
}

/**
 * Whether a name would be taken for another's: for this service's, an application's of the administrator, or a
 * domain's. Words are compared as they look, so that other scripts' letters gain nothing.
 */
export function imitates(name: string, others: readonly string[], domain: string | undefined): boolean {
  const isOther = others.map(wordsOf).some((other) => contains(wordsOf(name), other))
  return isOther || domainsIn(name).some((named) => named !== domain && !domain?.endsWith(`.${named}`))
}

/** Written apart or together, and among other words, unless it is too short to be anybody's there. */
function contains(words: string, other: string): boolean {
  const sought = other.replaceAll(' ', '')
  if (words.replaceAll(' ', '') === sought) return true
  if (other.length <= 2) return false
  const parts = words.split(' ')
  return parts.some((_, start) => {
    let joined = ''
    return parts.slice(start).some((part) => {
      joined += part
      return joined === sought
    })
  })
}

const OTHER_ALPHABET =
  /[\p{L}--[\p{Script=Latin}\p{Script=Common}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]]/v

/** A word of Latin letters with some of another alphabet between them, which look like Latin ones. */
export function mixesAlphabets(name: string): boolean {
  return name
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .some((word) => /\p{Script=Latin}/u.test(word) && OTHER_ALPHABET.test(word))
}

/** Letters of other scripts that look like Latin ones, and digits that look like letters. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  ...{
    а: 'a',
    в: 'b',
    е: 'e',
    ё: 'e',
    к: 'k',
    м: 'm',
    н: 'h',
    о: 'o',
    р: 'p',
    с: 'c',
    т: 't',
    у: 'y',
    х: 'x',
  },
  ...{ є: 'e', Η: 'h', Ν: 'n', Υ: 'y', Μ: 'm', Ζ: 'z' },
  ...{ ᴀ: 'a', ʙ: 'b', ᴄ: 'c', ᴅ: 'd', ᴇ: 'e', ꜰ: 'f', ɢ: 'g', ʜ: 'h', ɪ: 'i', ᴊ: 'j', ᴋ: 'k', ʟ: 'l' },
  ...{ ᴍ: 'm', ɴ: 'n', ᴏ: 'o', ᴘ: 'p', ʀ: 'r', ꜱ: 's', ᴛ: 't', ᴜ: 'u', ᴠ: 'v', ᴡ: 'w', ʏ: 'y', ᴢ: 'z' },
  ...{ і: 'i', ї: 'i', ј: 'j', ѕ: 's', ԁ: 'd', ԛ: 'q', ԝ: 'w', һ: 'h', ӏ: 'l', ѵ: 'v' },
  ...{
    α: 'a',
    β: 'b',
    ε: 'e',
    η: 'n',
    ι: 'i',
    κ: 'k',
    μ: 'u',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    τ: 't',
    υ: 'u',
    χ: 'x',
  },
  ...{ ı: 'i', ł: 'l', ø: 'o', đ: 'd', ɡ: 'g', ɑ: 'a', '0': 'o', '1': 'l', '|': 'l', '3': 'e', '5': 's' },
}

function wordsOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}|\p{Cf}|\p{Default_Ignorable_Code_Point}/gu, '')
  const seen = [...plain].map((letter) => LOOKALIKES[letter] ?? looksLike(letter.toLowerCase())).join('')
  // In many typefaces, capital i and small L are one stroke.
  return seen
    .replaceAll('i', 'l')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

function looksLike(letter: string): string {
  return LOOKALIKES[letter] ?? letter
}

function domainsIn(name: string): readonly string[] {
  return name.toLowerCase().match(/[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/gu) ?? []
}
