import type { ForeignHash } from './foreign-hash.ts'
import { isAffordable, isScryptOf } from './scrypt.ts'

/** `$scrypt$ln=14,r=8,p=1$<salt>$<key>`, as passlib and others write it. */
const STORED =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{0,128}={0,2})\$([A-Za-z0-9+/]{22,172}={0,2})$/

export const scryptText: ForeignHash = {
  isOne: (stored) => STORED.test(stored) && isAffordable(costOf(stored)),

  verify(password, stored) {
    const [, , , , salt = '', key = ''] = STORED.exec(stored) ?? []
    return isScryptOf(password, Buffer.from(salt, 'base64'), costOf(stored), Buffer.from(key, 'base64'))
  },
}

function costOf(stored: string) {
  const [, ln, r, p] = STORED.exec(stored) ?? []
  return { N: 2 ** Number(ln), r: Number(r), p: Number(p) }
}
