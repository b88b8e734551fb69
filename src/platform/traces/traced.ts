import type { KeyValue } from '../key-value/key-value.ts'
import type { Mail } from '../mail/mail.ts'
import type { Passwords } from '../passwords/passwords.ts'
import type { Traces, What } from './traces.ts'

const HASH: What = { name: 'hash', kind: 'internal' }

export function tracedPasswords(passwords: Passwords, traces: Traces): Passwords {
  const { hash, verify, refuseIfFull, end, isForeign } = passwords
  return {
    hash: (...given) => traces.around(HASH, () => hash(...given)),
    verify: (...given) => traces.around(HASH, () => verify(...given)),
    refuseIfFull,
    end,
    isForeign,
    get waiting() {
      return passwords.waiting
    },
  }
}

export function tracedMail(mail: Mail, traces: Traces): Mail {
  return {
    ...mail,
    send: (route, message) =>
      traces.around({ name: 'mail', kind: 'client', attributes: { 'gatehouse.mail.provider': route.provider } }, () =>
        mail.send(route, message),
      ),
  }
}

/** A table of the global store has its statements already. */
export function tracedKeyValue(keyValue: KeyValue, traces: Traces): KeyValue {
  if (!keyValue.server) return keyValue
  const around = <T>(operation: string, work: () => Promise<T>) =>
    traces.around(
      {
        name: `key-value ${operation}`,
        kind: 'client',
        attributes: { 'db.system.name': 'redis', 'db.operation.name': operation },
      },
      work,
    )
  return {
    ...keyValue,
    setIfAbsent: (...given) => around('set', () => keyValue.setIfAbsent(...given)),
    together: (...given) => around('together', () => keyValue.together(...given)),
    get: (key) => around('get', () => keyValue.get(key)),
    delete: (...keys) => around('delete', () => keyValue.delete(...keys)),
    increment: (...given) => around('increment', () => keyValue.increment(...given)),
  }
}
