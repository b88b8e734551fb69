import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, it } from 'vitest'
import { faultOfName, faultOfWords } from './imitation.ts'

const OTHERS = ['Gatehouse', 'Acme', 'Ice Shop', 'Up', 'Yahoo!']
const faultOf = (name: string, domain = 'app.helpful.example') =>
  faultOfName(name, { others: OTHERS, domains: [domain] })

describe('128. a name', () => {
  it.for([
    ...['acme', 'ACME Assistant', 'Acmе', 'A\u0301cme', 'lce Sh0p', 'The ice-shop', 'up', 'Yahoo', 'Yah00!'],
    // Written apart and together, with letters that nobody sees, and in small capitals.
    ...['A.c.m.e', 'IceShop', 'My Ice-Sh op', 'Ac\u3164me', 'Acme\u115f', 'ᴀᴄᴍᴇ', 'Acrne', 'Ac\u00adme', 'Ac\u200dme'],
    // Digits and letters of other scripts, letter-like signs, wide, mathematical, in circles, of flags.
    ...[
      'Gateh०use',
      'Gateh٥use',
      'Gateh\u{1d7ce}use',
      'Gatehous℮',
      'Ｇａｔｅｈｏｕｓｅ',
      '𝔾𝕒𝕥𝕖𝕙𝕠𝕦𝕤𝕖',
      'ⓖⓐⓣⓔⓗⓞⓤⓢⓔ',
      '🅖🅐🅣🅔🅗🅞🅤🅢🅔',
    ],
    ...[
      '🅰🄲🄼🄴',
      '🇦🇨🇲🇪',
      'ᗩᑕᗰᗴ',
      '卂匚爪乇',
      'Ꭺᴄᴍᴇ',
      '𐊠cme',
      'Асме',
      'ΑCΜΕ',
      'Gateh⊝use',
      'G@tehouse',
      'Gat€house',
      '6 Gatehouse',
    ],
    // With words that a company adds to its name.
    ...['GatehouseLogin', 'gatehouselogin', 'MyGatehouse', 'GATEHOUSESupport', 'AcmeLogin', 'acmesupport', 'myacme'],
    ...['Gatehouse2', 'Acme24', 'AcmeID', 'Ungatehouse'],
  ])('imitates another: %s', (name) => {
    assert.match(faultOf(name) ?? '', /^The name looks like that of another/)
  })

  it.for([
    ...[
      'shop.example',
      'a.other.example',
      'google.com',
      'google．com',
      'google․com',
      'google.c\u00adom',
      'goo\u200bgle.com',
    ],
    ...[
      'google。com',
      'google｡com',
      'google﹒com',
      'google·com',
      'google•com',
      'google・com',
      'google٠com',
      'googl℮.com',
    ],
    ...[
      'google\u200a.com',
      'google.\u202fcom',
      'GOOGLE.COM',
      'google.cóm',
      'google.c०m',
      'google.c0m',
      'банк.рф',
      '银行.中国',
    ],
    ...['Sign in (bank.example)', 'bank.example/login', '🇧🇦🇳🇰.example', 'xn--ggle-55da.com', 'g\u043eogle.com'],
  ])('has a domain that is not its own: %s', (name) => {
    assert.match(faultOf(name) ?? '', /has a domain/)
  })

  it.for([
    ...['Your bank – verified ✓', 'Helper ✔', 'Helper ✅', 'Helper ☑\ufe0f', 'Helper √', '🔒 Helper', 'Helper 🛡'],
    ...[
      'Verified Helper',
      'Helper (official)',
      'ＶＥＲＩＦＩＥＤ',
      'Verіfіed',
      'Veri\u00adfied',
      'Official Helper',
      'V3r1f1ed',
    ],
    ...['HelperVerified', 'Helper (geprüft)', 'Assistant vérifié', 'Asistente verificado', 'Официальный помощник'],
    ...['官方助手', '助手（已认证）', '公式アプリ', '【公式】Helper', '공식 도우미', 'رسمي', 'आधिकारिक'],
  ])('claims that somebody has verified it: %s', (name) => {
    assert.match(faultOf(name) ?? '', /sign of trust|verified it/)
  })

  it.for(['Helpfսl', 'HΕLPFUL', 'Ꮋelpful', 'a Helpful оne', 'Helpf०l', 'Ｈelpfυl', 'Help\u200cfսl'])(
    'mixes two alphabets in a word: %s',
    (name) => {
      assert.match(faultOf(name) ?? '', /two alphabets/)
    },
  )

  it.for([
    // Names of programs and companies that come near to a rule.
    ...[
      'Acmeville',
      'Helpful',
      'Shop',
      'Ice and Shop',
      'Upward',
      'Grow up',
      'Helpful 2.0',
      'helpful.example',
      'Setup Helper',
    ],
    ...[
      'app.helpful.example',
      'Claude',
      'ChatGPT',
      'Visual Studio Code',
      'Cursor',
      'Windsurf',
      'Zed',
      'MCP Inspector',
      'mcp-remote',
    ],
    ...[
      '1Password',
      '7-Zip',
      '37signals',
      '3M',
      'AT&T',
      'Ben & Jerry’s',
      'Yahtzee!',
      'Toys “R” Us',
      'C++ Helper',
      'C# Bot',
    ],
    ...[
      'Node.js Helper',
      'Next.js',
      'v2.1.0-beta',
      'Studio 54',
      'Windows 3.11',
      'Level 42',
      'e.V. Verein',
      'S.A.R.L. Dupont',
      'Inc. Magazine',
    ],
    ...['Unofficial Reader', 'Verifier', 'Officina', 'Dr. Oetker', 'µTorrent', 'Å Energi', 'café'],
    // Other languages of Latin letters.
    ...[
      'Škoda',
      'Citroën',
      'Łódź Assistant',
      'Đức',
      'Nguyễn',
      'İstanbul',
      'Ørsted',
      'Þór',
      'Weißwurst',
      'Façade',
      'Instal·lador',
      'Pokémon',
    ],
    // Other scripts, alone and beside Latin words.
    ...[
      'Помощник',
      'Помощник for Slack',
      'Яндекс Музыка',
      'Київстар',
      'Βοηθός',
      'Ελληνικά',
      'Օգնական',
      'დამხმარე',
      'ረዳት',
    ],
    ...[
      'עוזר',
      'مساعد',
      'دستیار',
      'نسخة ٢٠٢٤',
      'می\u200cخواهم',
      'सहायक',
      'हिन्दी २',
      'সহায়ক',
      'ਸਹਾਇਕ',
      'સહાયક',
      'உதவியாளர்',
      'సహాయకుడు',
    ],
    ...['ಸಹಾಯಕ', 'സഹായി', 'සහායක', 'ผู้ช่วย', 'ຜູ້ຊ່ວຍ', 'អ្នកជំនួយ', 'အကူ', 'ᠲᠤᠰᠠᠯᠠᠭᠴᠢ', 'རོགས་པ', 'ᎠᎵᏍᏕᎵᏍᎩ', 'ⵜⴰⵎⴰⵣⵉⵖⵜ'],
    ...[
      '助手',
      '小助手2',
      '數學公式',
      '公式计算器',
      '好好住',
      '認証アプリ',
      '双因素认证器',
      '非官方客户端',
      '非公式クライアント',
      'モーニング娘。',
      'ザ・コード',
      'ビュー・テスト',
      'LINEアプリ',
    ],
    ...[
      'アシスタント',
      'ヘルパーKit',
      '도우미',
      '카카오Talk',
      '비공식 앱',
      'ㄅㄆㄇ',
      '東京2020',
      '〇〇株式会社',
      '🚀 Rocket',
      'Rocket 🎉',
      'zażółć gęślą',
    ],
  ])('can be chosen by anybody: %s', (name) => {
    assert.equal(faultOf(name), undefined)
  })

  it('is judged alike with invisible characters in it, and in every width', () => {
    const unseen = fc.constantFrom(
      '\u00ad',
      '\u200b',
      '\u200d',
      '\u2060',
      '\u034f',
      '\u3164',
      '\ufe0f',
      '\u{e0041}',
      '\u2800',
    )
    const wide = (letter: string) =>
      /[!-~]/.test(letter) ? String.fromCharCode(letter.charCodeAt(0) + 0xfee0) : letter
    const bold = (letter: string) =>
      /[a-z]/.test(letter) ? String.fromCodePoint(0x1d41a + letter.charCodeAt(0) - 97) : letter
    const disguise = fc.constantFrom(
      (letter: string) => letter,
      wide,
      bold,
      (letter: string) => letter.toUpperCase(),
    )
    const disguised = fc
      .constantFrom('gatehouse', 'acme', 'ice shop', 'google.com', 'verified')
      .chain((name) =>
        fc.tuple(...[...name].map((letter) => fc.tuple(fc.constant(letter), disguise, fc.option(unseen)))),
      )
      .map((letters) => letters.map(([letter, as, hidden]) => as(letter) + (hidden ?? '')).join(''))

    fc.assert(
      fc.property(disguised, (name) => {
        assert.notEqual(faultOf(name), undefined, name)
      }),
      { numRuns: 300 },
    )
  })
})

describe('128. a sentence', () => {
  it('can speak of others, and has neither a sign of trust nor a word of two alphabets', () => {
    for (const text of ['Read your verified addresses at shop.example', 'Gatehouse: read your orders', 'Читать заказы'])
      assert.equal(faultOfWords(text), undefined, text)
    for (const text of ['Read your orders ✓', 'Reаd your orders']) assert.notEqual(faultOfWords(text), undefined, text)
  })
})
