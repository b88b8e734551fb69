import { domainToASCII } from 'node:url'
import { asItIsRead, asItLooks, withPlainDots, withRaisedDotsLowered } from './look-alikes.ts'

/** Names that a name must not imitate, and domains that it can contain. */
export interface KnownNames {
  /** This service's, and those of the administrator's applications. */
  readonly others: readonly string[]
  /** Domains that are its own, and that users see beside it. */
  readonly domains: readonly string[]
}

/**
 * The reason a name cannot be chosen for display beside our own words: it is judged as it looks, so that other scripts'
 * letters, invisible characters and signs gain nothing. Undefined if it can.
 */
export function faultOfName(name: string, { others, domains }: KnownNames): string | undefined {
  if (namesOther(name, others)) return OF_ANOTHER
  if (domainsIn(name).some((named) => !isOwn(named, domains)))
    return 'The name has a domain that is not its own; leave that out.'
  if (claimsTrust(name)) return 'The name says that somebody has verified it; leave that out.'
  return faultOfWords(name)
}

/** Allows names of one family: refuses only a whole name that looks like another. */
export function faultOfSameLook(name: string, others: readonly string[]): string | undefined {
  const looks = readings(name).map(together)
  return others
    .flatMap(asWritten)
    .map(together)
    .some((other) => looks.includes(other))
    ? OF_ANOTHER
    : undefined
}

const OF_ANOTHER = 'The name looks like that of another client or of this service.'

/** The same for a sentence, which can speak of others. */
export function faultOfWords(text: string): string | undefined {
  if (TRUST_SIGNS.test(text.normalize('NFKC'))) return 'It has a sign of trust, such as a check mark; leave that out.'
  if (mixesAlphabets(text)) return 'It mixes two alphabets in a word.'
  return undefined
}

/** Check marks, the root sign that passes for one, locks and shields. */
const TRUST_SIGNS =
  /[\u2611\u2705\u2713\u2714\u221a\u237b\u{1f50f}\u{1f510}\u{1f512}\u{1f5f8}\u{1f5f9}\u{1f6e1}\u{1fbb1}]/u

/** In the form of `asItLooks`. */
const TRUST_WORDS: ReadonlySet<string> = new Set(
  [
    ...['verified', 'official', 'certified', 'genuine', 'authentic', 'trusted', 'verifiziert', 'offiziell', 'geprüft'],
    ...['zertifiziert', 'vérifié', 'vérifiée', 'officiel', 'officielle', 'certifié', 'verificado', 'verificada'],
    ...['oficial', 'certificado', 'verificato', 'verificata', 'ufficiale', 'geverifieerd', 'officieel', 'oficjalny'],
    ...['zweryfikowany', 'официальный', 'официальная', 'официально', 'проверено', 'проверенный', 'офіційний'],
    ...['doğrulanmış', 'resmi', 'رسمي', 'موثق', 'आधिकारिक', 'सत्यापित'],
  ].map(asItLooks),
)
/** Words in scripts without spaces. 公式 is a formula in Chinese, so only what Japanese adds to it tells them apart. */
const TRUST_WORDS_INSIDE = new RegExp(
  [
    '(?<![非未不])(?:官方|官網|官网|公認|正規品|(?:已|实名)(?:认证|認證|验证|驗證)|(?:認証|検証)済)',
    '(?<!非)公式(?=[\\p{Script=Katakana}】〉》」)\\]])',
    '(?<!비)공식',
    '인증(?:됨|된|완료)',
  ].join('|'),
  'u',
)

function claimsTrust(name: string): boolean {
  if (TRUST_WORDS_INSIDE.test(name.normalize('NFKC'))) return true
  return readings(name).some((words) => words.split(' ').some((word) => TRUST_WORDS.has(word)))
}

function namesOther(name: string, others: readonly string[]): boolean {
  const read = readings(name)
  return others.flatMap(asWritten).some((other) => read.some((words) => contains(words, other)))
}

/** The words of a name: as written, and where capitals or digits divide it; with signs as signs, and as letters. */
function readings(name: string): readonly string[] {
  const apart = name
    .replace(/(\p{Ll})(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1$2 ')
    .replace(/(\p{L})(?=\p{N}+(?!\p{L}|\p{N}))/gu, '$1 ')
  return [...new Set([name, apart].flatMap(asWritten))]
}

const together = (words: string) => words.replaceAll(' ', '')

const asWritten = (text: string) => [asItIsRead(text), asItLooks(text)].map(wordsOf).filter(Boolean)

const wordsOf = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()

/** Words added to a name so that it passes for a part of the same house. */
const OF_THE_HOUSE: ReadonlySet<string> = new Set(
  [
    ...['login', 'signin', 'logon', 'auth', 'account', 'accounts', 'support', 'help', 'helpdesk', 'admin', 'security'],
    ...['secure', 'team', 'app', 'apps', 'bot', 'mail', 'pay', 'id', 'my', 'the', 'get', 'verify', 'service'],
    ...['services', 'online', 'portal', 'console', 'assistant', 'desktop', 'mobile', 'web', 'cli', 'connect', 'sso'],
  ].map(asItLooks),
)
const SHORTEST_PART = 4
/** No other word contains so long a name by chance. */
const LONG_ENOUGH = 8

/**
 * Matches it written apart or together, among other words or with a house's additions, unless it is too short to belong
 * to anybody.
 */
function contains(words: string, other: string): boolean {
  const sought = together(other)
  if (together(words) === sought) return true
  if (other.length <= 2) return false
  const parts = words.split(' ')
  return parts.some((part, start) => isOfHouse(part, sought) || beginsWith(parts.slice(start), sought))
}

function isOfHouse(word: string, sought: string): boolean {
  if (sought.length >= LONG_ENOUGH) return word.includes(sought)
  if (sought.length < SHORTEST_PART) return false
  if (word.startsWith(sought)) return OF_THE_HOUSE.has(word.slice(sought.length))
  return word.endsWith(sought) && OF_THE_HOUSE.has(word.slice(0, -sought.length))
}

function beginsWith(parts: readonly string[], sought: string): boolean {
  let joined = ''
  return parts.some((part) => {
    joined += part
    return joined === sought
  })
}

/** Beside Latin letters, those of these scripts stand in ordinary names. */
const OTHER_ALPHABET =
  /[[\p{L}\p{Nd}]--[\p{Script=Latin}\p{Script=Common}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]]/v

/** A word of Latin letters with letters or digits of another script between them, which look like Latin ones. */
function mixesAlphabets(name: string): boolean {
  // The micro sign is a Greek letter after NFKC, and begins names of its own.
  return name
    .replaceAll('\u00b5', 'u')
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .some((word) => /\p{Script=Latin}/u.test(word) && OTHER_ALPHABET.test(word))
}

const LABELS = String.raw`(?:[\p{L}\p{M}\p{N}-]+\.)+`
const DOMAIN = new RegExp(String.raw`${LABELS}\p{L}[\p{L}\p{M}]+(?:[01]\p{L}+)*|${LABELS}\p{L}[01]\p{L}+`, 'gu')
/** A raised dot between words of other scripts does not make a domain. */
const LATIN_ENDING = /\.[\p{Script=Latin}\p{M}01]+$/u

function domainsIn(name: string): readonly string[] {
  const plain = withPlainDots(name)
  const lowered = withRaisedDotsLowered(plain).match(DOMAIN) ?? []
  const found = [...(plain.match(DOMAIN) ?? []), ...lowered.filter((named) => LATIN_ENDING.test(named))]
  return found.filter((named) => !FILE.test(named))
}

/** Node.js and the like: there is no such top-level domain. */
const FILE = /\.js$/

function isOwn(named: string, domains: readonly string[]): boolean {
  const ascii = domainToASCII(named)
  return ascii !== '' && domains.some((domain) => domain === ascii || domain.endsWith(`.${ascii}`))
}
