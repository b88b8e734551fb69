import { useForm } from '../../../forms/form.ts'
import { useAct } from '../../../server/act.ts'
import { call, type Input } from '../../../server/api.ts'
import { useTexts } from '../../../texts/texts.tsx'
import { Button } from '../../../ui/controls/button.tsx'
import { FormCard } from '../../../ui/form.tsx'
import { type Application, consoleKeys } from '../queries.ts'
import { LookGrid, lookFields, lookNames } from '../settings/brand/look-fields.tsx'
import { LookPreview } from '../settings/brand/look-preview.tsx'
import { type Stored, StoredPart } from '../settings/part-card.tsx'
import { described, drawn } from '../settings/use-part.tsx'

type Brand = NonNullable<Input<'/api/admin/update_application'>['brand']>

/** What the application has of its own instead of the installation's brand, with the preview beside it. */
export const ApplicationBrand = ({ application }: { readonly application: Application }) => (
  <StoredPart part="brand">{(document) => <Look application={application} document={document} />}</StoredPart>
)

function Look({ application, document }: Stored<'brand'> & { readonly application: Application }) {
  const { config, common } = useTexts()
  const { id, name, brand } = application
  const shown = { ...document, ...brand }
  const save = (sent: Brand) => call('/api/admin/update_application', { id, brand: sent })
  const more = { done: common.saved, refreshes: [consoleKeys.applications] }
  const form = useForm({
    ...described(lookFields, shown, config.problems),
    ...more,
    draft: `application-brand:${id}`,
    isEdit: true,
    clears: true,
    asksToLeave: true,
    act: (sent: object, changed) =>
      save(Object.fromEntries(Object.entries(sent).filter(([field]) => changed.some((one) => one === field)))),
  })
  const inherit = useAct({ ...more, act: (field: string) => save({ [field]: null }) })
  const own = lookNames.filter((field) => field in brand || `${field}_url` in brand)
  return (
    <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,1fr)_24rem]">
      <FormCard form={form} title={config.ownLook} lead={config.ownLookLead} submit={common.save}>
        <LookGrid>{drawn(lookFields, form.field, config, shown)}</LookGrid>
        {own.length > 0 && (
          <div className="flex flex-wrap gap-2">
            {own.map((field) => (
              <Button key={field} size="small" isPending={inherit.isPending} onPress={() => inherit.mutate(field)}>
                {config.inherit(config.fields[field as keyof typeof lookFields])}
              </Button>
            ))}
          </div>
        )}
      </FormCard>
      <LookPreview name={name} languages={document.languages} stored={shown} typed={form.values} />
    </div>
  )
}
