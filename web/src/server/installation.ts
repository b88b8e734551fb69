import type { QueryClient } from '@tanstack/react-query'
import { applyBrand, type ClientConfig } from './brand.ts'
import { clientConfigQuery } from './session.ts'

/** The document contains the configuration; otherwise it is requested. */
export function takeConfig(queryClient: QueryClient): void {
  const text = document.getElementById('config')?.textContent
  if (!text) return void queryClient.prefetchQuery(clientConfigQuery)
  const config: ClientConfig = JSON.parse(text)
  queryClient.setQueryData(clientConfigQuery.queryKey, config)
  applyBrand(config)
}

/** Undefined until the configuration has been read. */
export function offeredLanguages(queryClient: QueryClient) {
  const config = queryClient.getQueryData<ClientConfig>(clientConfigQuery.queryKey)
  return config?.brand.languages
}
