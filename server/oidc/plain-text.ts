/** Text from elsewhere that can be stored: not empty, not too long, no NUL, no half of a character. */
export const isPlainText = (value: unknown, max: number): value is string =>
  typeof value === 'string' &&
  value.length > 0 &&
  value.length <= max &&
  !value.includes('\0') &&
  value.isWellFormed()
