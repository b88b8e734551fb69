import { Icon, type IconName } from './icon.tsx'
import { useIsBranded } from './logo.tsx'

/** Our own sign around an icon; a plain ground if the pages carry the operator's name. */
export function ArchMark({ icon }: { readonly icon: IconName }) {
  if (useIsBranded()) {
    return (
      <span className="grid size-14 place-items-center rounded-full bg-accent-soft text-accent">
        <Icon name={icon} className="size-6" />
      </span>
    )
  }
  return (
    <span className="relative grid place-items-center text-accent">
      <svg
        aria-hidden="true"
        viewBox="0 0 96 64"
        className="h-16 w-24"
        fill="none"
        stroke="currentColor"
        strokeWidth="1"
      >
        <path d="M8 64V44a40 40 0 0 1 80 0v20" opacity="0.18" />
        <path d="M18 64V44a30 30 0 0 1 60 0v20" opacity="0.3" />
        <path d="M28 64V44a20 20 0 0 1 40 0v20" opacity="0.45" fill="var(--accent-soft)" fillOpacity="0.8" />
      </svg>
      <Icon name={icon} className="absolute bottom-2.5 size-6" />
    </span>
  )
}
