/**
 * Characters that look like a Latin letter, by that letter: from the table of Unicode Technical Standard 39, as far as
 * NFKC leaves it, with small capitals, lower-case Cyrillic and Greek, currency signs, and the syllables and characters
 * used by generators of "fancy text".
 */
const LOOKS_LIKE: Readonly<Record<string, string>> = {
  a: 'ɑΑαАаᎪᗅᴀ⍶⍺ꓮ𐊠𖽀ᗩ卂',
  b: 'ßƀƂƃƄɓʙΒβБВЬвѢѣҌҍᏏᏴᑲᑳᖯᗷꓐꞴ𐊂𐊡𐌁乃',
  c: '¢ȼΣςСсҪҫᏟᴄ₡Ⲥⲥꓚꮯ𐊢𐌂𐐕𐐽𐔜𑣩𑣲🅮🝌ᑕ匚',
  d: 'ÐĐđƉƌɖɗԁᎠᏧᑯᗞᗪᴅ₫ꓒꓓ刀',
  e: 'ƏƐǝɆɇəɛΕεЄЕеєҽҿᎬᴇ€℮⋿ⴹꓰꬲ𐊆𑢦𑢮ᗴ乇',
  f: 'ƑƒϜքᖴᵮẝꓝꜰꞘꞙꬵ𐊇𐊥𐔥𑢢𑣂𝈓千',
  g: 'ƍǤǥɠɡɢԌցᏀᏳᶃꓖᘜᎶ',
  h: 'ĦħɦʜΗНнћҢһӇӉհᎻᏂᏲᕼⱧⲎꓧꚕ𐋏卄',
  i: 'ıɨɩɪιіᎥᵻᵼ⍳⍸ꙇꭵ𑣃',
  j: 'ɈɉͿϳЈјᎫᒍᴊꓙꞲ',
  k: 'ĸƙΚκКкҚҝҞᏦᛕᴋ₭ⱩⲔꓗꝀ𐔘',
  l: '£ŁłƖƗƚǀɫɭʟΙІӀӏ\u05c0\u05d5\u05df\u0627\u0661\u0673۱\u07caᏞᒪᛁ∣⏽│ⲒⳐⵏꓡꓲ𐊊𐌉𐌠𐐛𐔦𑢣𑢲𖼖𖼨𝈪\u{1e8c7}丨',
  m: 'ΜϺМмӍᎷᗰᛖᴍⲘꓟ𐊰𐌑爪',
  n: 'ƝƞɳɴΝηոռᵰⲚꓠ𐆎𐔓ᑎ几',
  o: 'ØøƟɵΘΟθοσОоѲѳӨөՕօ\u05e1\u0647\u0665\u06be\u06c1\u06d5۵\u06ff\u07c0०০੦૦ଠ୦௦౦೦ഠ൦๐໐တဝ၀ჿዐᎾᏫᴏᴑ⊖⊝⍬Ⲟⲟⴱⵁⵔ〇ꓳꝊꝋꬽꬾꭴꮎꮻ𐊒𐊫𐐄𐐬𐓂𐓪𐔖𑓐𑢵𑣈𑣗𑣠𝈚🜔口',
  p: 'ƥΡρРрᏢᑭᴘᵽ⍴Ⲣⲣꓑ𐊕卩',
  q: 'ʠԛգզⵕᑫ',
  r: 'ƦɍɼɽʀгғᎡᏒᖇᴦᵲⲅꓣꭇꭈꮁ𐒴𖼵𝈖尺',
  s: 'ƽʂЅѕՏᏕᏚᵴꓢꜱꮪ𐊖𐐠𐑈𑣁𖼺ᔕ丂',
  t: 'ŦŧƭƮȾΤτТтҬᎢᴛᵵ₮⊤⍡⟙Ⲧꓔ𐊗𐊱𐌕𑢼𖼊🝨丅',
  u: 'ɄʋμυՍսሀᏌᑌᴜᵾ∪⋃ꓴꞟꭎꭒꮜ𐓎𐓶𑢸𑣘𖽂凵',
  v: 'νѴѵ\u05d8\u0667۷Ꮩᐯᴠ∨⋁ⴸꓦꛟꮩ𐆗𐔝𑜆𑢠𑣀𖼈𝈍🜈',
  w: 'ɯωѡѽԜԝաᎳᏔᴡ₩ꓪꝡꮃ𑓅𑜊𑜎𑜏𑣦𑣯ᗯ山',
  x: 'ΧχХхҲᕁᕽ᙭᙮ᚷ╳⤫⤬⨯⨰ⲬⵝꓫꞳ𐆖𐊐𐊴𐌗𐌢𐔧𑣬乂',
  y: '¥ƴɎɏɣʏΥγУуҮүҰұყᎩᎽᶌỿⲨꓬꭚ𐊲𑢤𑣜𖽃丫',
  z: 'ƵƶȤȥʐΖᏃᴢᵶꓜꮓ𐋵𑢩𑣄𑣥ᘔ',
}

const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOKS_LIKE).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
)

/** Latin letters in a circle, in a square, or of a flag, which NFKC leaves as they are. */
const ENCLOSED = [0x1f150, 0x1f170, 0x1f1e6]

/** ASCII characters that are read as a letter inside a word. */
const READ_AS: ReadonlyMap<string, string> = new Map(
  Object.entries({ 0: 'o', 1: 'l', 3: 'e', 4: 'a', 5: 's', 8: 'b', '|': 'l', '!': 'l', '@': 'a', $: 's' }),
)

const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu
/** Narrower than the space between two words. */
const NARROW_SPACES = /[\u2006\u2008-\u200a\u202f\u205f]/g
const DOTS = /[\u3002\u0660\u06d4\u06f0\u0701\u0702\ua4f8\ua60e\u{10a50}]/gu
const RAISED_DOTS = /[\u00b7\u2022\u2027\u2219\u22c5\u25cf\u30fb\u16eb]/g
/** Catalan has it between two letters. */
const RAISED_DOT_OF_CATALAN = /(?<=l)\u00b7(?=l)/gi

/** A name as it looks: invisible characters are gone, and look-alikes are Latin letters. For comparison only. */
export function asItLooks(text: string): string {
  const letters = [...seen(text).normalize('NFKD').replace(/\p{M}/gu, '')].map(
    (letter) => latin(letter) ?? latin(letter.toLowerCase()) ?? letter.toLowerCase(),
  )
  // In many typefaces, capital i and small L are one stroke, r and n are an m, and two v are a w.
  return letters.join('').replaceAll('i', 'l').replaceAll('rn', 'm').replaceAll('vv', 'w')
}

/** The same, where digits and signs are read as letters: `Sh0p`, `Acme!`. */
export function asItIsRead(text: string): string {
  return asItLooks([...seen(text)].map((letter) => READ_AS.get(String(digitOf(letter) ?? letter)) ?? letter).join(''))
}

/** Keeps letters as they are, so that a domain can be compared with a real one; only signs and dots as they look. */
export function withPlainDots(text: string): string {
  const plain = [...seen(text.replace(RAISED_DOT_OF_CATALAN, '')).replace(DOTS, '.')].map((letter) =>
    /[\p{L}\p{M}\p{ASCII}]/u.test(letter) ? letter : (latin(letter) ?? letter),
  )
  return plain.join('').toLowerCase()
}

/** Dots at half height divide the parts of a domain for the eye, and words in some scripts. */
export function withRaisedDotsLowered(text: string): string {
  return text.replace(RAISED_DOTS, '.')
}

function seen(text: string): string {
  return text.replace(NARROW_SPACES, '').normalize('NFKC').replace(UNSEEN, '')
}

function latin(letter: string): string | undefined {
  const known = LETTERS.get(letter)
  if (known !== undefined) return known
  const code = letter.codePointAt(0) ?? 0
  const first = ENCLOSED.find((start) => code >= start && code < start + 26)
  if (first !== undefined) return String.fromCharCode(0x61 + code - first)
  const digit = code > 0x7f ? digitOf(letter) : undefined
  return digit === undefined ? undefined : String(digit)
}

/** Unicode has the ten digits of a script in a row, zero first. */
function digitOf(letter: string): number | undefined {
  const code = letter.codePointAt(0) ?? 0
  if (!isDigit(code)) return undefined
  let before = 0
  while (before < 9 && isDigit(code - before - 1)) before++
  return before
}

function isDigit(code: number): boolean {
  return /\p{Nd}/u.test(String.fromCodePoint(code))
}
