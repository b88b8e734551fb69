import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { faultOfCss } from './css.ts'

const OWN = 'url() can only have an address below /api/brand/.'

describe('security checklist 90: the operator’s CSS', () => {
  it.for([
    ['@import "//evil.example"', 'Line 1, column 1: @import is not allowed.'],
    ['/* x */ @IMPORT url(//evil.example)', 'Line 1, column 9: @import is not allowed.'],
    ['@\\69mport "x"', 'Line 1, column 1: @import is not allowed.'],
    ['@\\000069 mport "x"', 'Line 1, column 1: @import is not allowed.'],
    ['@i\\6d port"x"', 'Line 1, column 1: @import is not allowed.'],
    ['@supports (a:b) {\r\n@layer x {\r\n @import "x" } }', 'Line 3, column 2: @import is not allowed.'],
    ['a { b: url(https://evil.example) }', `Line 1, column 8: ${OWN}`],
    ['a { b: URL( "//evil.example" ) }', `Line 1, column 8: ${OWN}`],
    ['a { b: u\\72l(//evil.example) }', `Line 1, column 8: ${OWN}`],
    ['a { b: \\75 rl( "//evil.example" ) }', `Line 1, column 8: ${OWN}`],
    ['a { b: ur\\6c (//evil.example) }', `Line 1, column 8: ${OWN}`],
    ['a { --x: url(//evil.example) }', `Line 1, column 10: ${OWN}`],
    ['a { b: url(/api/brand/../auth/sign-out) }', `Line 1, column 8: ${OWN}`],
    ['a { b: url(/api/brand/%2e%2e/auth) }', `Line 1, column 8: ${OWN}`],
    ['a { b: url(/api/brand/logo\\)/../x) }', `Line 1, column 8: ${OWN}`],
    ['a { b: url(/api\\5c brand/logo) }', `Line 1, column 8: ${OWN}`],
    ['a { b: url(/api/brand/*) } /* ) */', `Line 1, column 8: ${OWN}`],
    ['a { b: url(data:image/png,x) }', `Line 1, column 8: ${OWN}`],
    ['a { b: url("/api/brand/logo" format("x")) }', `Line 1, column 8: ${OWN}`],
    ['a { b: url(/**/"//evil.example") }', `Line 1, column 8: ${OWN}`],
    ['a { b: url(var(--x)) }', `Line 1, column 8: ${OWN}`],
    ['a { b: url(', `Line 1, column 8: ${OWN}`],
    ['a { b: url("/api/brand/logo', `Line 1, column 8: ${OWN}`],
    ['-->url(//evil.example)', `Line 1, column 4: ${OWN}`],
    ['a { b: "\\\n"; c: url(//evil.example) }', `Line 2, column 7: ${OWN}`],
    ["a { b: '\\''; c: url(//evil.example) }", `Line 1, column 17: ${OWN}`],
    ['a { --x: "data:image/png,x" }', 'Line 1, column 10: data: is not allowed.'],
    ['a { b: image-set("//evil.example" 1x) }', 'Line 1, column 8: image-set() is not allowed.'],
    ['a { b: -webkit-image-set("x" 1x) }', 'Line 1, column 8: -webkit-image-set() is not allowed.'],
    ['a { b: s\\72 c(var(--x)) }', 'Line 1, column 8: src() is not allowed.'],
    ['a { b: image("//evil.example") }', 'Line 1, column 8: image() is not allowed.'],
    ['a { b: u+aurl(//evil.example) }', 'Line 1, column 10: aurl() is not allowed.'],
    ['<!--url(//evil.example)-->', 'Line 1, column 3: --url() is not allowed.'],
    ['a { b: \u00a0url(//evil.example) }', 'Line 1, column 8: \u00a0url() is not allowed.'],
    ['a { b: "x\n" }', 'Line 1, column 8: this string is not closed.'],
    ['a { b: "x\\', 'Line 1, column 8: this string is not closed.'],
    ['/*/ a {}', 'Line 1, column 1: this comment is not closed.'],
    ['a\0b', 'Line 1, column 2: this character cannot be in a style sheet.'],
    ['a\ud800b', 'Line 1, column 2: this character cannot be in a style sheet.'],
    ['{'.repeat(16 * 1024), 'Line 1, column 33: this is deeper than 32 brackets.'],
    [`${'a'.repeat(16 * 1024)}b`, 'The style sheet is larger than 16 KB.'],
    ['字'.repeat(5462), 'The style sheet is larger than 16 KB.'],
  ] as const)('90. %s is refused with the place', ([css, words]) => {
    assert.equal(faultOfCss(css), words)
  })

  it.for([
    '',
    '.gh-card { background: url(/api/brand/logo) }',
    '.gh-card { background: url( "/api/brand/logo?v=a-b_c" ) no-repeat }',
    'a { b: url(\\2f api/brand/l\\6fgo) }',
    '@media (width < 600px) { .gh-card:is(a, b)::before { content: "\\201C"; --x: {} } }',
    '/* url(//evil.example) @import */ a { content: "url(x) @import \'x\'" }',
    '@layer a; @supports (display: grid) { .标题 { color: color-mix(in oklch, red, var(--ink)) } }',
    // It is served as a style sheet, and in no document.
    '</style><script>alert(1)</script>',
    'a'.repeat(16 * 1024),
  ])('90. %s is taken', (css) => {
    assert.equal(faultOfCss(css), undefined)
  })
})
