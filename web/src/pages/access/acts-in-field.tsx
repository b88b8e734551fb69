import { useTexts } from '../../texts/texts.tsx'
import { Select } from '../../ui/controls/select.tsx'

interface Props {
  readonly organizations: readonly { readonly id: string; readonly name: string }[]
  /** An id, or nothing for none. */
  readonly value: string
  readonly name?: string
  readonly problem?: string | undefined
  onChange(id: string): void
}

/** Chooses the organisation in which something that the user gives access to will act. */
export function ActsInField({ organizations, ...field }: Props) {
  const { consent } = useTexts()
  const options = { '': consent.noOrganization, ...Object.fromEntries(organizations.map(({ id, name }) => [id, name])) }
  return <Select {...field} label={consent.actsIn} hint={consent.actsInHint} options={options} />
}
