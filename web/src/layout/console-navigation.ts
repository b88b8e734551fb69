import type { Texts } from '../texts/en.ts'
import type { IconName } from '../ui/icon.tsx'

interface ConsolePage {
  readonly to: string
  readonly icon: IconName
  title(texts: Texts): string
}

/** The administrator's part of the navigation, in its order. */
export const consolePages: readonly ConsolePage[] = []
