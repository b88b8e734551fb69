import { pbkdf2Passwords } from '../../../src/platform/passwords/passwords.ts'

/** Real passwords, which count their hashes. */
export function countedPasswords() {
  let hashes = 0
  const real = pbkdf2Passwords({ iterations: 1 })
  const counted = <Args extends unknown[], Result>(work: (...args: Args) => Result) => {
    return (...args: Args) => {
      hashes += 1
      return work(...args)
    }
  }
  return {
    passwords: Object.create(real, {
      hash: { value: counted(real.hash) },
      verify: { value: counted(real.verify) },
    }),
    hashesSince() {
      const since = hashes
      hashes = 0
      return since
    },
  }
}
