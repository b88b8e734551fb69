import { useClientConfig } from '../../server/session.ts'
import { type Language, languages } from '../../texts/catalogue.ts'
import { useSpoken } from '../../texts/texts.tsx'
import { say } from '../../toasts.ts'
import { Icon } from '../icon.tsx'
import { wordsOf } from '../messages/failure.tsx'

const isLanguage = (value: string): value is keyof typeof languages => value in languages

export function LanguageSelect() {
  const { language, texts, speak } = useSpoken()
  const { brand } = useClientConfig()
  if (brand.languages.length < 2) return null
  const change = (chosen: Language) =>
    speak(chosen).catch((error: Error) => say(wordsOf(texts, error), { isFailure: true }))
  return (
    <label className="relative inline-flex items-center gap-1.5 rounded-md text-small text-ink-soft transition-colors focus-within:outline-2 focus-within:outline-accent hover:text-ink">
      <Icon name="globe" className="pointer-events-none absolute left-2 size-4" />
      <span className="sr-only">{texts.common.language}</span>
      <select
        value={language}
        onChange={({ target }) => isLanguage(target.value) && void change(target.value)}
        className="touch h-8 appearance-none bg-transparent pr-2 pl-7.5 outline-none"
      >
        {brand.languages.map((tag) => (
          <option key={tag} value={tag} lang={tag} className="bg-raised text-ink">
            {languages[tag]}
          </option>
        ))}
      </select>
    </label>
  )
}
