interface WordsEditorProps {
  /** A list of texts, as JSON. */
  readonly value: string
  readonly shared: Omit<React.ComponentProps<'textarea'>, 'value' | 'onChange'>
  onChange(text: string): void
}

/** Texts, one a line. */
export const WordsEditor = ({ value, shared, onChange }: WordsEditorProps) => (
  <textarea
    {...shared}
    rows={3}
    value={linesOf(value)}
    // An empty line stays while somebody types: it is left out when the value is read.
    onChange={({ target }) => onChange(JSON.stringify(target.value === '' ? [] : target.value.split('\n')))}
  />
)

function linesOf(value: string): string {
  const list: unknown = value === '' ? [] : JSON.parse(value)
  return Array.isArray(list) ? list.join('\n') : ''
}
