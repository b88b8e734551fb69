import assert from 'node:assert/strict'
import { describe } from 'vitest'
import { queryFor, register } from '../../service/applications.ts'
import { newVerifier } from '../../service/grants.ts'
import { it } from '../../service/it.ts'

const REGISTERED = ['http://127.0.0.1/callback', 'http://[::1]:7000/callback?a=b', 'com.example.app:/callback']

const ACCEPTED = [
  ...REGISTERED,
  'http://127.0.0.1:1/callback',
  'http://127.0.0.1:65535/callback',
  'http://[::1]/callback?a=b',
  'http://[::1]:51000/callback?a=b',
]

const REFUSED = [
  'http://127.0.0.1:1/callback#',
  'http://127.0.0.1:1/callback#code=stolen',
  'http://ann@127.0.0.1:1/callback',
  'http://:secret@127.0.0.1:1/callback',
  'http://ann:secret@127.0.0.1:1/callback',
  'http://127.0.0.1:1/callback?a=b',
  'http://127.0.0.1:1/callback/',
  'http://127.0.0.1:1//callback',
  'http://127.0.0.1:1/x/../callback',
  'http://127.0.0.1:1/%63allback',
  'http://127.0.0.1:1/Callback',
  'http://127.0.0.1:80/callback',
  'http://127.0.0.1:0080/callback',
  'http://127.0.0.1:65536/callback',
  'http://127.0.0.1:/callback',
  'http://127.0.0.2:1/callback',
  'http://127.1:1/callback',
  'http://2130706433:1/callback',
  'http://0x7f.0.0.1:1/callback',
  'http://localhost:1/callback',
  'http://0.0.0.0:1/callback',
  'http://127.0.0.1.:1/callback',
  'http://127.0.0.1.evil.example:1/callback',
  'http://127.0.0.1@evil.example:1/callback',
  'http://[::1]:1/callback',
  'http://[0:0:0:0:0:0:0:1]:1/callback?a=b',
  'http://[::ffff:127.0.0.1]:1/callback',
  'http://[::]:1/callback?a=b',
  'https://127.0.0.1:1/callback',
  'HTTP://127.0.0.1:1/callback',
  'http:\\\\127.0.0.1:1\\callback',
  ' http://127.0.0.1:1/callback',
  'http://127.0.0.1:1/callback\n',
  'com.example.app:/callback#',
  'com.example.app:/callback/',
  'com.example.app://callback',
  'COM.example.app:/callback',
]

describe('the address of a native application on the user’s machine', () => {
  it('can have any port, and is otherwise as registered', async ({ administrator, ann }) => {
    const app = await register(administrator, { kind: 'native', redirect_uris: REGISTERED })
    const begin = (redirect_uri: string) =>
      ann.post('/api/oauth/begin_authorization', queryFor(app, newVerifier(), { redirect_uri }))

    for (const address of ACCEPTED) assert.equal((await begin(address)).status, 200, address)
    for (const address of REFUSED) assert.equal((await begin(address)).status, 400, address)
  })
})
