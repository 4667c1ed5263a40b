/** Some documents have line ends between their values, where they mean nothing. */
export const inOneLine = (text: string): string =>
  text.includes('\n') ? text.replaceAll(/[\r\n]+/g, ' ') : text
