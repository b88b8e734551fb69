import type { Texts } from './texts/en.ts'

const emailShape = /^[^\s@]+@[^\s@]+\.[^\s@]+$|^[^\s@]+@localhost$/
const shortestPassword = 8

/** What is wrong with a value before it is sent; undefined where nothing is. */
export function emailProblem({ form }: Texts, email: string): string | undefined {
  if (!email.trim()) return form.emailMissing
  return emailShape.test(email.trim()) ? undefined : form.emailOdd
}

export function newPasswordProblem({ form }: Texts, password: string): string | undefined {
  if (!password) return form.passwordMissing
  return [...password].length < shortestPassword ? form.passwordShort : undefined
}

export const missingProblem = (words: string, value: string): string | undefined =>
  value.trim() ? undefined : words

export const codeProblem = ({ form }: Texts, code: string): string | undefined =>
  /^\d{6}$/.test(code) ? undefined : form.codeIncomplete

/** None, or one that the pages are allowed to load. */
export const pictureProblem = ({ form }: Texts, address: string): string | undefined =>
  address.trim() === '' || (URL.canParse(address.trim()) && address.trim().startsWith('https://'))
    ? undefined
    : form.pictureOdd

export const hasProblem = (problems: Record<string, string | undefined>): boolean =>
  Object.values(problems).some((problem) => problem !== undefined)
