import { useSearchParams } from 'react-router'
import { ApiError } from '../api.ts'
import { Failure } from '../ui/failure.tsx'

/** A provider's sign-in that failed comes back with the code in small letters in the address. */
export function ProviderFailure() {
  const [search] = useSearchParams()
  const code = search.get('error')
  return code ? <Failure error={new ApiError(0, { code: code.toUpperCase() })} /> : null
}
