import { ApiError } from './api.ts'

/** Unsubscribes as mail programs do: the token is in the address. */
export async function unsubscribe(token: string): Promise<void> {
  const response = await fetch(`/api/unsubscribe?${new URLSearchParams({ token })}`, {
    method: 'POST',
  }).catch(() => {
    throw new ApiError(0, { code: 'NETWORK' })
  })
  if (!response.ok) throw new ApiError(response.status, await response.json())
}
