import { useTexts } from '../../texts/texts.tsx'

export function Spinner() {
  const { common } = useTexts()
  return (
    <svg
      role="img"
      aria-label={common.loading}
      viewBox="0 0 16 16"
      className="size-4 animate-spin"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
    >
      <circle cx="8" cy="8" r="6" opacity="0.25" />
      <path d="M14 8a6 6 0 0 0-6-6" />
    </svg>
  )
}
