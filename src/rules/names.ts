import { z } from 'zod'
import { isOneLine, isVisible } from './one-line.ts'

/** Text that somebody will read, in any number of lines: what nobody can see counts as empty. */
export const textOf = (longest: number) =>
  z.string().min(1, { abort: true }).max(longest).refine(isVisible, 'Use a character that can be seen.')

/** A name that is shown in lists, in letters and where a user decides: one line that can be seen. */
export const nameOf = (longest: number) =>
  z
    .string()
    .trim()
    .min(1, { abort: true })
    .max(longest)
    .refine(isOneLine, 'Use one line, without marks that turn its direction.')
    .refine(isVisible, 'Use a character that can be seen.')
