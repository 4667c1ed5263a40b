/** Whether text from a provider can be stored: not empty, not too long, without NUL and unpaired surrogates. */
export const isPlainText = (value: unknown, max: number): value is string =>
  typeof value === 'string' &&
  value.length > 0 &&
  value.length <= max &&
  !value.includes('\0') &&
  value.isWellFormed()
