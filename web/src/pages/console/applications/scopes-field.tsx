import { useQuery } from '@tanstack/react-query'
import type { Output } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { ScopeChoice, type ScopeOption } from '../../../ui/controls/scope-choice.tsx'
import { LoadFailure } from '../../../ui/lists/loaded.tsx'
import { type Application, productScopesQuery } from '../queries.ts'

interface Props {
  readonly kind: Application['kind']
  readonly value: readonly string[]
  readonly hint: string | undefined
  readonly problem: string | undefined
  readonly onChange: (value: string[]) => void
}

/** A service has no user, so nothing of a user's own. */
export const canHave = (kind: Application['kind'], scope: string) =>
  kind !== 'service' || /^(?:admin|config|product):/.test(scope)

export function ScopesField({ kind, hint, ...field }: Props) {
  const { applications } = useTexts()
  const products = useQuery(productScopesQuery)
  const options = useOffered(field.value, products.data?.items ?? []).filter(([scope]) => canHave(kind, scope))
  return (
    <ScopeChoice {...field} legend={applications.fields.scopes} options={options}>
      {products.error && <LoadFailure query={products} />}
      {hint && <p className="text-small text-ink-soft">{hint}</p>}
    </ScopeChoice>
  )
}

type ProductScope = Output<'/api/admin/list_product_scopes'>['items'][number]

/** Who the user is, the product's, what is the user's own, and the administrator's; one that is gone stays last. */
function useOffered(value: readonly string[], products: readonly ProductScope[]): readonly ScopeOption[] {
  const { scopes: known } = useTexts()
  const product = products.map(({ scope, description }): ScopeOption => [scope, description])
  const ours: readonly ScopeOption[] = Object.entries(known)
  const listed = [
    ...ours.filter(([scope]) => !scope.includes(':')),
    ...product,
    ...ours.filter(([scope]) => scope.includes(':')),
  ]
  const gone = value.filter((scope) => !listed.some(([one]) => one === scope))
  return [...listed, ...gone.map((scope): ScopeOption => [scope, scope])]
}
