import type { QueryClient } from '@tanstack/react-query'
import { type ClientConfig, type Look, lookQuery } from './brand.ts'
import { clientConfigQuery } from './session.ts'

/** The document contains the configuration; otherwise it is requested. */
export function takeConfig(queryClient: QueryClient): void {
  const text = document.getElementById('config')?.textContent
  if (!text) return void queryClient.prefetchQuery(clientConfigQuery)
  const config: ClientConfig & { application?: { client_id: string; look: Look } } = JSON.parse(text)
  queryClient.setQueryData(clientConfigQuery.queryKey, config)
  if (config.application) queryClient.setQueryData(lookQuery(config.application.client_id).queryKey, config.application)
}

/** Undefined until the configuration has been read. */
export function offeredLanguages(queryClient: QueryClient) {
  const config = queryClient.getQueryData<ClientConfig>(clientConfigQuery.queryKey)
  return config?.brand.languages
}
