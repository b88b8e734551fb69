import { z } from 'zod'
import { LANGUAGES } from './input.ts'
import { Logo } from './logo.ts'

/** Every field has a default, because a part that was never saved is `{}`. */
export const BrandSettings = z.object({
  name: z.string().default(''),
  logo: Logo.nullable().default(null),
  accent: z.string().default(''),
  home_url: z.string().default(''),
  terms_url: z.string().default(''),
  privacy_url: z.string().default(''),
  return_origins: z.array(z.string()).default([]),
  languages: z.array(z.enum(LANGUAGES)).default([...LANGUAGES]),
})
export type BrandSettings = z.output<typeof BrandSettings>
