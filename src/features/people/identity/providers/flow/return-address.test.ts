import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import { ownPath, trustedAddress, withError } from './return-address.ts'

const origins = ['https://id.example.com', 'http://127.0.0.1:4321']

describe('a return address', () => {
  for (const [text, path] of [
    ['/', '/'],
    ['/welcome?tour=1#top', '/welcome?tour=1#top'],
    ['/a/../b', '/b'],
    ['/sign-in?next=//evil.example', '/sign-in?next=//evil.example'],
    ['https://id.example.com', '/'],
    ['https://id.example.com/home?x=1', '/home?x=1'],
    ['http://127.0.0.1:4321/home', '/home'],
  ] as const) {
    it(`${text} is our own`, () => assert.equal(ownPath(origins, text), path))
  }

  for (const text of [
    '',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    ' //evil.example',
    '/..//evil.example',
    '/./\u002f/evil.example',
    'https:evil.example',
    'https:/evil.example',
    'https://evil.example',
    'https://id.example.com.evil.example/',
    'https://id.example.com@evil.example/',
    'https://user:word@id.example.com/',
    'https://id.example.com:444/',
    'http://id.example.com/',
    'HTTPS://evil.example',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'home',
    '?x=1',
    `/${'x'.repeat(3000)}`,
  ]) {
    it(`${JSON.stringify(text.slice(0, 60))} is refused`, () =>
      assert.equal(ownPath(origins, text), undefined))
  }

  it('of a trusted origin stays whole, and no other origin is accepted', () => {
    const trusted = ['https://app.example.com']

    assert.equal(
      trustedAddress(trusted, 'https://app.example.com/a/../b?x=1'),
      'https://app.example.com/b?x=1',
    )
    for (const text of [
      '/home',
      '//app.example.com/',
      'https://app.example.com.evil.example/',
      'https://app.example.com@evil.example/',
      'https://app.example.com//evil.example',
      'http://app.example.com/',
    ]) {
      assert.equal(trustedAddress(trusted, text), undefined, text)
    }
    assert.equal(trustedAddress([], 'https://app.example.com/'), undefined)
  })

  it('a code is added to what is there', () => {
    assert.equal(withError('/sorry?a=1#top', 'access_denied'), '/sorry?a=1&error=access_denied#top')
    assert.equal(withError('https://app.example.com/sorry', 'new'), 'https://app.example.com/sorry?error=new')
    assert.equal(withError('/sorry?error=old', 'new'), '/sorry?error=new')
  })
})
