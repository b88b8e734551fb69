import { Person } from './people.ts'
import type { Service } from './service.ts'

export function from(address: string): Readonly<Record<string, string>> {
  return { 'x-forwarded-for': address }
}

export function inNewBrowser(service: Service, { email, password }: Person): Person {
  return new Person(service, email, password)
}
