import { argon2Sync, createHash, pbkdf2Sync, scryptSync } from 'node:crypto'
import { hashSync } from 'bcryptjs'

/** The forms in which other services store this password, as an import leaves them until the first sign-in. */
export function foreignHashes(password: string) {
  const salt = Buffer.from('a salt of sixteen')
  const argon = { message: password, nonce: salt, parallelism: 1, tagLength: 32, memory: 1024, passes: 2 }
  const scrypted = scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 })
  const text = 'Qz4pXtW0dN1sLm'
  const scryptedByDjango = scryptSync(password, text, 64, { N: 1024, r: 8, p: 5 }).toString('base64')
  const argon2id = `$argon2id$v=19$m=1024,t=2,p=1$${plain(salt)}$${plain(argon2Sync('argon2id', argon))}`
  const digest = createHash('sha256').update(password).digest('hex')
  return {
    bcrypt: hashSync(password, 4),
    'bcrypt of PHP': hashSync(password, 4).replace('$2b$', '$2y$'),
    argon2id,
    scrypt: `$scrypt$ln=10,r=8,p=1$${plain(salt)}$${plain(scrypted)}`,
    'PBKDF2 of Django': `pbkdf2_sha256$1000$${text}$${pbkdf2Sync(password, text, 1000, 32, 'sha256').toString('base64')}`,
    'scrypt of Django': `scrypt$1024$${text}$8$5$${scryptedByDjango}`,
    'argon2id of Django': `argon2${argon2id}`,
    'bcrypt of Django': `bcrypt$${hashSync(password, 4)}`,
    'bcrypt of a digest, of Django': `bcrypt_sha256$${hashSync(digest, 4)}`,
  }
}

/** Drops the padding, as these texts do. */
function plain(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
