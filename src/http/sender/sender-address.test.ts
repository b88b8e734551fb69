import assert from 'node:assert/strict'
import { describe, it } from 'vitest'
import type { Unidentified } from '../exchange.ts'
import { senderFinder } from './sender-address.ts'

function from(peer: string, headers: Readonly<Record<string, string>> = {}): Unidentified {
  return { peer, header: (name) => headers[name] }
}

const behindProxies = senderFinder({
  trustedProxies: ['10.0.0.0/8', '127.0.0.1', 'fd00::/8'],
  continentHeader: 'cf-ipcontinent',
})
const alone = senderFinder({ trustedProxies: [], continentHeader: 'cf-ipcontinent' })

describe('sender address', () => {
  it('without trusted proxies is the peer, whatever the headers say', () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', 'cf-ipcontinent': 'EU' }

    for (const find of [alone, behindProxies])
      assert.deepEqual(find(from('198.51.100.4', headers)), { address: '198.51.100.4', continent: undefined })
  })

  it('from a trusted proxy is the right-most hop that is not one', () => {
    const headers = { 'x-forwarded-for': '6.6.6.6, 203.0.113.9, 10.1.2.3' }

    for (const proxy of ['10.0.0.1', '::ffff:127.0.0.1', 'fd00::1'])
      assert.equal(behindProxies(from(proxy, headers)).address, '203.0.113.9', proxy)
  })

  it('is read without ports, brackets and the mapping of IPv4 to IPv6', () => {
    const of = (hops: string) => behindProxies(from('10.0.0.1', { 'x-forwarded-for': hops })).address

    for (const [hops, address] of [
      ['203.0.113.9:4711', '203.0.113.9'],
      ['[2001:db8::7]:4711', '2001:db8::7'],
      ['::ffff:203.0.113.9', '203.0.113.9'],
      ['::FFFF:cb00:7109', '203.0.113.9'],
      ['0:0:0:0:0:ffff:203.0.113.9', '203.0.113.9'],
      ['::ffff:7109', '::ffff:7109'],
      ['2001:db8::ffff:cb00:7109', '2001:db8::ffff:cb00:7109'],
    ] as const)
      assert.equal(of(hops), address, hops)
  })

  it('is reported by trusted networks and addresses in any spelling', () => {
    const trusting = senderFinder({
      trustedProxies: ['::ffff:10.0.0.0/104', 'fe80::1%eth0'],
      continentHeader: 'cf-ipcontinent',
    })
    const through = (peer: string) => trusting(from(peer, { 'x-forwarded-for': '203.0.113.9' })).address

    for (const peer of ['10.1.2.3', '::ffff:10.1.2.3', 'fe80::1', 'fe80::1%eth1'])
      assert.equal(through(peer), '203.0.113.9', peer)
    for (const peer of ['11.1.2.3', 'fe80::2']) assert.equal(through(peer), peer)
  })

  it('stops at a hop that is not an address', () => {
    const headers = { 'x-forwarded-for': '203.0.113.9, unknown, 10.1.2.3' }

    assert.equal(behindProxies(from('10.0.0.1', headers)).address, '10.1.2.3')
    assert.equal(behindProxies(from('10.0.0.1', {})).address, '10.0.0.1')
  })
})

it('continent is believed from a trusted proxy only, and only if it is a code', () => {
  const of = (code: string) => behindProxies(from('10.0.0.1', { 'cf-ipcontinent': code })).continent

  assert.deepEqual([of('eu'), of('Europe; drop table')], ['EU', undefined])
})
