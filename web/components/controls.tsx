import { Button } from '../src/ui/controls/button.tsx'
import { Checkboxes } from '../src/ui/controls/checkboxes.tsx'
import { CodeInput } from '../src/ui/controls/code-input.tsx'
import { CopyButton } from '../src/ui/controls/copy-button.tsx'
import { LanguageSelect } from '../src/ui/controls/language-select.tsx'
import { NavTabs } from '../src/ui/controls/nav-tabs.tsx'
import { SearchField } from '../src/ui/controls/search-field.tsx'
import { Segments } from '../src/ui/controls/segments.tsx'
import { Select } from '../src/ui/controls/select.tsx'
import { Switch } from '../src/ui/controls/switch.tsx'
import { TextField } from '../src/ui/controls/text-field.tsx'
import { TextLink } from '../src/ui/controls/text-link.tsx'
import { Part } from './part.tsx'

const looks = ['primary', 'quiet', 'plain', 'danger', 'warn'] as const
const options = { one: 'One', two: 'Another', three: 'A third' }
const ignore = () => undefined
const tabs = [
  { to: '/components/', title: 'Open' },
  { to: '/components/other', title: 'Another part' },
]

export function Controls() {
  return (
    <>
      <Part name="Buttons">
        {(['medium', 'small'] as const).map((size) => (
          <p key={size} className="flex flex-wrap items-center gap-3">
            {looks.map((look) => (
              <Button key={look} look={look} size={size}>
                {look}
              </Button>
            ))}
            <Button size={size} isPending>
              pending
            </Button>
            <Button size={size} isDisabled>
              disabled
            </Button>
            <CopyButton text="text" />
            <TextLink to="/components/">A link</TextLink>
          </p>
        ))}
      </Part>
      <div className="grid grid-cols-2 gap-8">
        <Part name="Fields">
          <TextField label="Text" value="What was typed" hint="What helps to fill it in." />
          <TextField label="With a problem" value="not an address" problem="Enter a valid email address." />
          <TextField label="Password" type="password" value="a secret" />
          <TextField label="Disabled" value="Nothing to change" isDisabled />
          <TextField label="Several lines" value="One line, and room for more." rows={3} />
        </Part>
        <Part name="Choices">
          <Select label="Select" value="one" options={options} onChange={ignore} />
          <Segments label="Segments" value="two" options={options} onChange={ignore} />
          <Checkboxes
            legend="Checkboxes"
            options={[
              ['one', 'One'],
              ['two', 'Another'],
            ]}
            value={['two']}
            problem={undefined}
            onChange={ignore}
          />
          <Switch label="On" hint="What it does." value onChange={ignore} />
          <Switch label="Off" value={false} onChange={ignore} />
          <CodeInput label="Code" value="123" onChange={ignore} />
          <SearchField maxLength={254} label="Search" value="ann" onSearch={ignore} />
          <NavTabs label="Parts" tabs={tabs} />
          <LanguageSelect />
        </Part>
      </div>
    </>
  )
}
