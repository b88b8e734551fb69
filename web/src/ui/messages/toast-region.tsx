import { Text } from 'react-aria-components/Text'
import {
  UNSTABLE_Toast as AriaToast,
  UNSTABLE_ToastContent as AriaToastContent,
  UNSTABLE_ToastRegion as AriaToastRegion,
} from 'react-aria-components/Toast'
import { useTexts } from '../../texts/texts.tsx'
import { toasts } from '../../toasts.ts'
import { Icon } from '../icon.tsx'

const buttonClass =
  'grid h-8 place-items-center rounded-md opacity-80 hover:opacity-100 focus-visible:outline-2 focus-visible:outline-ground'

/** Placed at the top, where no page has a control: beside the title, or over the brand on a phone. */
export function ToastRegion() {
  const { common } = useTexts()
  return (
    <AriaToastRegion
      queue={toasts}
      aria-label={common.toasts}
      className="fixed top-2.5 left-3 z-50 flex flex-col gap-2 outline-none max-sm:right-16 sm:left-1/2 sm:w-max sm:max-w-md sm:-translate-x-1/2"
    >
      {({ toast }) => (
        <AriaToast
          toast={toast}
          className="appear flex items-center gap-3 rounded-lg border border-transparent bg-ink py-1.5 pr-1.5 pl-3.5 text-compact text-ground shadow-float outline-none data-[focus-visible]:outline-2 data-[focus-visible]:outline-accent"
        >
          <Icon name={toast.content.isFailure ? 'warning' : 'check'} className="size-4" />
          <AriaToastContent className="wrap-anywhere min-w-0 grow">
            <Text slot="title">{toast.content.text}</Text>
          </AriaToastContent>
          {toast.content.action && (
            <button
              type="button"
              onClick={() => {
                toast.content.action?.act()
                toasts.close(toast.key)
              }}
              className={`${buttonClass} px-2 font-semibold underline underline-offset-3`}
            >
              {toast.content.action.label}
            </button>
          )}
          <button
            type="button"
            aria-label={common.close}
            onClick={() => toasts.close(toast.key)}
            className={`${buttonClass} w-8 shrink-0`}
          >
            <Icon name="cross" className="size-4" />
          </button>
        </AriaToast>
      )}
    </AriaToastRegion>
  )
}
