import { z } from 'zod'

/** Fields of the sender's choice. Zod leaves out `__proto__` without a word, so it is refused. */
export function recordOf<Key extends z.ZodString, Value extends z.ZodType>(key: Key, value: Value) {
  const record = z.record(key, value)
  const checked = z.preprocess((sent, context) => {
    if (typeof sent === 'object' && sent !== null && Object.hasOwn(sent, '__proto__'))
      context.issues.push({
        code: 'custom',
        path: ['__proto__'],
        message: 'A field cannot have this name.',
        input: sent,
      })
    return sent
  }, record)
  // The pipe takes what the record takes; for the compiler it takes anything.
  return checked as unknown as z.ZodType<z.output<typeof record>, z.input<typeof record>>
}
