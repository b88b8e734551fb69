import type { ComponentProps } from 'react'
import { labelClass } from '../../../ui/controls/field.tsx'
import { Segments } from '../../../ui/controls/segments.tsx'

/** A choice whose label is seen too, among fields with labels. */
export function LabelledSegments<Value extends string>(props: ComponentProps<typeof Segments<Value>>) {
  return (
    <div className="flex flex-col gap-1.5">
      <span aria-hidden="true" className={labelClass}>
        {props.label}
      </span>
      <Segments {...props} />
    </div>
  )
}
