import { useQuery } from '@tanstack/react-query'
import { allPages } from './server/all-pages.ts'
import { call, type Output } from './server/api.ts'

type ProductScope = Output<'/api/list_product_scopes'>['items'][number]
type Words = Readonly<Record<string, string>>

const pageSize = 100
const none: Words = {}

/** The product's own permissions in words, by their names: no catalogue of texts can know them. */
export const productWordsQuery = {
  queryKey: ['product-words'],
  async queryFn(): Promise<Words> {
    const scopes = await allPages<ProductScope>((page) =>
      call('/api/list_product_scopes', { page, page_size: pageSize }),
    )
    return Object.fromEntries(scopes.map(({ scope, description }) => [scope, description]))
  },
}

/** A permission is shown by its name until the words are known. */
export function useProductWords() {
  const query = useQuery(productWordsQuery)
  return { query, words: query.data ?? none }
}
