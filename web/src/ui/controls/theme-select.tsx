import { useTexts } from '../../texts/texts.tsx'
import { chooseTheme, themes, useTheme } from '../../theme.ts'
import { Icon } from '../icon.tsx'

const isTheme = (value: string): value is (typeof themes)[number] => themes.some((theme) => theme === value)

/** Light, dark, or as the system has it. */
export function ThemeSelect() {
  const { common } = useTexts()
  return (
    <label className="relative inline-flex items-center gap-1.5 rounded-md text-small text-ink-soft transition-colors focus-within:outline-2 focus-within:outline-accent hover:text-ink">
      <Icon name="contrast" className="pointer-events-none absolute left-2 size-4" />
      <span className="sr-only">{common.theme}</span>
      <select
        value={useTheme()}
        onChange={({ target }) => isTheme(target.value) && chooseTheme(target.value)}
        className="touch h-8 appearance-none bg-transparent pr-2 pl-7.5 outline-none"
      >
        {themes.map((theme) => (
          <option key={theme} value={theme} className="bg-raised text-ink">
            {common.themes[theme]}
          </option>
        ))}
      </select>
    </label>
  )
}
