import { argon2Sync, scryptSync } from 'node:crypto'
import { hashSync } from 'bcryptjs'

/** The forms in which other services store this password, as an import leaves them until the first sign-in. */
export function foreignHashes(password: string) {
  const salt = Buffer.from('a salt of sixteen')
  const argon = { message: password, nonce: salt, parallelism: 1, tagLength: 32, memory: 1024, passes: 2 }
  const scrypted = scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 })
  return {
    bcrypt: hashSync(password, 4),
    'bcrypt of PHP': hashSync(password, 4).replace('$2b$', '$2y$'),
    argon2id: `$argon2id$v=19$m=1024,t=2,p=1$${plain(salt)}$${plain(argon2Sync('argon2id', argon))}`,
    scrypt: `$scrypt$ln=10,r=8,p=1$${plain(salt)}$${plain(scrypted)}`,
  }
}

/** Drops the padding, as these texts do. */
function plain(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
