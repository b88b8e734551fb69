import { console } from './en/console.ts'
import { firstHour } from './en/first-hour.ts'
import { front } from './en/front.ts'
import { inside } from './en/inside.ts'
import { organizations } from './en/organizations.ts'

/** All texts. The pages fetch them in parts. */
export const en = { ...front, ...inside, ...organizations, ...firstHour, ...console }

export type Texts = typeof en
