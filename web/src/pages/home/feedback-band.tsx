import { Link } from '../../routing/router.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { buttonClass } from '../../ui/controls/button.tsx'
import { useIsBranded } from '../../ui/logo.tsx'

export function FeedbackBand() {
  const { home, feedback } = useTexts()
  const isBranded = useIsBranded()
  return (
    <section className="relative flex flex-wrap items-center justify-between gap-x-8 gap-y-4 overflow-hidden rounded-lg border border-transparent bg-accent-soft px-5 py-6 sm:px-6">
      {!isBranded && <Rings className="absolute top-3 right-52 h-56 text-accent opacity-25 max-md:hidden" />}
      <div className="relative">
        <h2 className="font-semibold">{home.feedbackTitle}</h2>
        <p className="mt-0.5 text-ink-soft">{feedback.lead}</p>
      </div>
      <Link to="/feedback" className={buttonClass({})}>
        {home.feedbackAction}
      </Link>
    </section>
  )
}

function Rings({ className }: { readonly className: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 200 160" className={className} fill="none" stroke="currentColor">
      {[30, 50, 70, 90].map((radius) => (
        <path key={radius} d={`M${100 - radius} 160V100a${radius} ${radius} 0 0 1 ${2 * radius} 0v60`} />
      ))}
    </svg>
  )
}
