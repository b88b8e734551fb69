import { stranger } from '../../service/people.ts'
import type { Service } from '../../service/service.ts'

const SIGN_UP = '/api/auth/sign-up/email'

export function signUp(service: Service, password: string, email = 'carl@example.com') {
  return stranger(service).post(SIGN_UP, { email, password, name: 'Carl' })
}
