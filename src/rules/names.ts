import { z } from 'zod'
import { isOneLine, isVisible } from './one-line.ts'

const ONE_LINE = 'Use one line, without marks that turn its direction.'
const VISIBLE = 'Use a character that can be seen.'

/** Text that somebody will read, in any number of lines: what nobody can see counts as empty. */
export const textOf = (longest: number) => z.string().min(1, { abort: true }).max(longest).refine(isVisible, VISIBLE)

/** One line that can be seen, or nothing. */
export const lineOf = (longest: number) =>
  z
    .string()
    .trim()
    .max(longest)
    .refine(isOneLine, ONE_LINE)
    .refine((text) => text === '' || isVisible(text), VISIBLE)

/** A name that is shown in lists, in letters and where a user decides: one line that can be seen. */
export const nameOf = (longest: number) => lineOf(longest).min(1, { abort: true })

/** A secret, which is passed on unchanged. */
export const secretOf = (longest: number) => textOf(longest).refine(isOneLine, ONE_LINE)
