interface Words {
  readonly fields: Readonly<Record<string, string>>
  readonly hints: Readonly<Record<string, string>>
}

/** The label and the hint of a field whose words have its name. */
export const fieldWords = ({ fields, hints }: Words, name: string) => ({
  label: fields[name] ?? name,
  hint: hints[name],
})
