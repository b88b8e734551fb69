import { useQuery } from '@tanstack/react-query'
import { userQuery } from '../queries.ts'

const addressStaleMs = 5 * 60_000

/** The address behind an id; the end of the id while it is unknown, or if the user no longer exists. */
export function useAddressOf(id: string | undefined): string {
  const { data } = useQuery({ ...userQuery(id ?? ''), enabled: id !== undefined, staleTime: addressStaleMs })
  return data?.email ?? shortId(id ?? '')
}

/** The end of an id; a text that is not one stays whole. */
export const shortId = (id: string) => (/^[\da-f-]{36}$/.test(id) ? `…${id.slice(-6)}` : id)
